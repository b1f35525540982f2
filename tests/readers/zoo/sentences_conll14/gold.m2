S The tide are low in winter season .
A 2 3|||SVA|||is|||REQUIRED|||-NONE-|||0
A 5 7|||Wci|||winter||the winter season|||REQUIRED|||-NONE-|||0
A 2 3|||SVA|||is|||REQUIRED|||-NONE-|||1
A 5 5|||ArtOrDet|||the|||REQUIRED|||-NONE-|||1

S Nobody knows about the reason .
A 2 3|||Prep||||||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||-NONE-|||-NONE-|||1

S The ferry waits .

