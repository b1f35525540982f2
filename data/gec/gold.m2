S Yesterday we goed to the harbour .
A 2 3|||R:VERB:INFL|||went|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB|||drove||went|||REQUIRED|||-NONE-|||1

S She have a umbrella in her bag .
A 1 2|||R:VERB:SVA|||has|||REQUIRED|||-NONE-|||0
A 2 3|||R:DET|||an|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:SVA|||has|||REQUIRED|||-NONE-|||1
A 2 3|||R:DET|||an|||REQUIRED|||-NONE-|||1

S The lighthouse was build in stone .
A 3 4|||R:VERB:FORM|||built|||REQUIRED|||-NONE-|||0
A 4 5|||R:PREP|||of|||REQUIRED|||-NONE-|||0
A 3 5|||R:OTHER|||built from|||REQUIRED|||-NONE-|||1

S We waited the ferry two hours .
A 2 2|||M:PREP|||for|||REQUIRED|||-NONE-|||0
A 2 2|||M:PREP|||for|||REQUIRED|||-NONE-|||1
A 4 4|||M:PREP|||for|||REQUIRED|||-NONE-|||1

S The crew were very friendly .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB:SVA|||was|||REQUIRED|||-NONE-|||1

S He explained me the the way .
A 2 2|||M:PREP|||to|||REQUIRED|||-NONE-|||0
A 3 4|||U:DET||||||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB|||showed|||REQUIRED|||-NONE-|||1
A 3 4|||U:DET||||||REQUIRED|||-NONE-|||1

S Many tourist come for see the whales .
A 1 2|||R:NOUN:NUM|||tourists|||REQUIRED|||-NONE-|||0
A 3 4|||R:PART|||to|||REQUIRED|||-NONE-|||0
A 1 2|||R:NOUN:NUM|||tourists|||REQUIRED|||-NONE-|||1
A 3 4|||R:PART|||to|||REQUIRED|||-NONE-|||1

S It is the more beautiful bay of island .
A 3 4|||R:ADJ:FORM|||most|||REQUIRED|||-NONE-|||0
A 6 7|||R:PREP|||on|||REQUIRED|||-NONE-|||0
A 7 7|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 3 4|||R:ADJ:FORM|||most|||REQUIRED|||-NONE-|||1
A 7 7|||M:DET|||the|||REQUIRED|||-NONE-|||1
