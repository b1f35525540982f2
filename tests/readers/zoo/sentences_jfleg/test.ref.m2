S It is late .
A 2 2|||#Del#|||too|||REQUIRED|||-NONE-|||3

S He go home .
A 1 2|||#Ri#|||goes|||REQUIRED|||-NONE-|||0
A 2 3|||#Ins#||||||REQUIRED|||-NONE-|||1
A 1 2|||#Rs#|||went|||REQUIRED|||-NONE-|||3

