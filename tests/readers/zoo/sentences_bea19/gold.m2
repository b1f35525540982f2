S We was late because rain .
A 1 2|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||0
A 4 4|||M:PREP|||of|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||1
A 3 5|||R:OTHER|||in the rain|||REQUIRED|||-NONE-|||1
A 1 2|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||2
A 4 5|||R:OTHER|||it rained|||REQUIRED|||-NONE-|||2
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||3
A 1 2|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||4

S Thank you for reading .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||2
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||3
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||4

S I seen him .
A 1 2|||R:VERB:TENSE|||saw|||REQUIRED|||-NONE-|||0
A 1 1|||M:VERB:TENSE|||have|||REQUIRED|||-NONE-|||1
A 1 2|||UNK|||-NONE-|||REQUIRED|||-NONE-|||2
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||3
A 1 2|||R:VERB:TENSE|||saw|||REQUIRED|||-NONE-|||4

