"""The option `--protocol`: the name of a preset, optionally with other values for some options."""

from __future__ import annotations

import typer

from anls_frame.cli.named import value_of, with_options
from anls_frame.protocol import ScoreProtocol, resolve_errors, resolve_protocol

_ERRORS = "errors."


def parse(text: str | ScoreProtocol) -> ScoreProtocol:
    """
    Return the protocol for a value such as ``rrc,threshold=0.3``.

    Options of the protocol for error rates are written with a dot, as in ``errors.ignore_case=true``, and
    equivalences as JSON.
    """
    if isinstance(text, ScoreProtocol):  # the default
        return text
    name, options = with_options(text, example="rrc,threshold=0.3")
    own: dict[str, object] = {}
    for_errors: dict[str, object] = {}
    for key, written in options.items():
        values = for_errors if key.startswith(_ERRORS) else own
        values[key.removeprefix(_ERRORS)] = value_of(written)
    try:
        protocol = resolve_protocol(name).replace(**own)
        if for_errors:
            protocol = protocol.replace(errors=resolve_errors(protocol).replace(**for_errors))
    except (ValueError, TypeError) as error:
        raise typer.BadParameter(str(error)) from None
    return protocol
