"""What the tools take and give: models that the protocol's JSON schemas are made from.

Source: Model Context Protocol, "Tools" (input and output schemas).
"""

from __future__ import annotations

from typing import Any, Literal, TypeVar

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from engine.errors import InvalidInput

TypeName = Literal["RETRIEVAL", "CODE_GENERATION", "CONVERSATIONAL", "PLATFORM"]


class _Arguments(BaseModel):
    """Arguments of a tool; one that it does not have is refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class QuestionArguments(_Arguments):
    """A question."""

    query: str = Field(description="The question, in any language.")
    session: str = Field(
        "",
        validation_alias=AliasChoices("session", "session_id"),
        description="The id of a conversation that it belongs to. To ask with a new id begins one.",
    )
    type: TypeName | None = Field(
        None,
        validation_alias=AliasChoices("type", "query_type"),
        description="Declares the query type. Left out: the engine decides.",
    )
    editor_content: str = Field("", description="The file that is open in the editor.")
    selected_text: str = Field("", description="Code that is selected in the editor.")
    extra_context: str = Field("", description="What the platform knows of the account: figures, metrics, page.")


class SearchArguments(_Arguments):
    """What to look for in the documents."""

    query: str = Field(description="Words or a question.")
    k: int = Field(8, ge=1, le=50, description="The most passages.")


class FoundPassage(BaseModel):
    """A passage of a document."""

    id: str
    document: str
    heading: str = Field(description="The path of headings that lead to it.")
    text: str
    uri: str = Field(description="The document as a resource of this server.")


class Hit(FoundPassage):
    """A passage that a search has found."""

    score: float = Field(description="Comparable within one search only.")


class Found(BaseModel):
    """The passages of a search, the best first."""

    hits: list[Hit]


class CitedPassage(FoundPassage):
    """A passage that the answer cites."""

    number: int = Field(description="As it stands in the text: [1].")


class RouteTaken(BaseModel):
    """How a question was understood."""

    type: TypeName
    layer: str = Field(description="Which layer decided: declared, prefix, embedding, llm or default.")
    confidence: float = Field(description="0 to 1.")
    runner_up: TypeName | None
    reason: str = Field(description="A stable code; docs/routing.md lists them.")
    relation: str | None = Field(description="To the conversation before.")
    relation_confidence: float = Field(description="0 to 1.")
    action: str | None = Field(description="What was done to have the material of the answer.")
    search_query: str = Field(description="As it was searched; empty where nothing was.")
    model: str = Field(description="The model that answered; empty where none was asked.")


class Answered(BaseModel):
    """An answer with what it stands on."""

    text: str
    session: str = Field(description="Continues this conversation when it is given with the next question.")
    turn_id: str
    outcome: str = Field(description="complete, partial or failed.")
    route: RouteTaken
    citations: list[CitedPassage]
    answerability: float | None = Field(description="How probable it is that the passages answer the question, 0 to 1.")
    grounding: float | None = Field(description="Share of the answer's sentences that their passages support, 0 to 1.")


_Model = TypeVar("_Model", bound=_Arguments)


def read(form: type[_Model], arguments: dict[str, Any]) -> _Model:
    """The arguments of a call.

    Raises:
        InvalidInput: Naming the first one that is wrong, missing or unknown.
    """
    try:
        return form.model_validate(arguments)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
    names = ", ".join(form.model_fields)
    field = ".".join(str(part) for part in problem["loc"]) or "arguments"
    raise InvalidInput(field[:100], f"{problem['msg'].lower()}; the arguments are {names}")


def input_schema(form: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a tool's arguments, under the names that its description uses."""
    return form.model_json_schema(by_alias=False)


def output_schema(form: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a tool's result."""
    return form.model_json_schema(mode="serialization")
