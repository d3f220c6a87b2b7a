from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class QueryType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    QUERY_TYPE_UNSPECIFIED: _ClassVar[QueryType]
    RETRIEVAL: _ClassVar[QueryType]
    CODE_GENERATION: _ClassVar[QueryType]
    CONVERSATIONAL: _ClassVar[QueryType]
    PLATFORM: _ClassVar[QueryType]

class Layer(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LAYER_UNSPECIFIED: _ClassVar[Layer]
    DECLARED: _ClassVar[Layer]
    PREFIX: _ClassVar[Layer]
    EMBEDDING: _ClassVar[Layer]
    LLM: _ClassVar[Layer]
    DEFAULT: _ClassVar[Layer]

class Relation(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RELATION_UNSPECIFIED: _ClassVar[Relation]
    HISTORY_RECALL: _ClassVar[Relation]
    CONTEXTUAL_FOLLOW_UP: _ClassVar[Relation]
    NEW_TOPIC_PROCEDURAL: _ClassVar[Relation]
    NEW_TOPIC_INFORMATIONAL: _ClassVar[Relation]

class Action(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ACTION_UNSPECIFIED: _ClassVar[Action]
    NONE: _ClassVar[Action]
    HISTORY: _ClassVar[Action]
    REWRITE: _ClassVar[Action]
    FRESH: _ClassVar[Action]

class PlanMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PLAN_MODE_UNSPECIFIED: _ClassVar[PlanMode]
    DIRECT_LLM: _ClassVar[PlanMode]
    SINGLE_RETRIEVAL: _ClassVar[PlanMode]
    MULTI_RETRIEVAL: _ClassVar[PlanMode]

class Origin(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ORIGIN_UNSPECIFIED: _ClassVar[Origin]
    SEARCH: _ClassVar[Origin]
    LEDGER: _ClassVar[Origin]
    TOOL: _ClassVar[Origin]

class Outcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OUTCOME_UNSPECIFIED: _ClassVar[Outcome]
    COMPLETE: _ClassVar[Outcome]
    PARTIAL: _ClassVar[Outcome]
    FAILED: _ClassVar[Outcome]

class Rating(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RATING_UNSPECIFIED: _ClassVar[Rating]
    UP: _ClassVar[Rating]
    DOWN: _ClassVar[Rating]
QUERY_TYPE_UNSPECIFIED: QueryType
RETRIEVAL: QueryType
CODE_GENERATION: QueryType
CONVERSATIONAL: QueryType
PLATFORM: QueryType
LAYER_UNSPECIFIED: Layer
DECLARED: Layer
PREFIX: Layer
EMBEDDING: Layer
LLM: Layer
DEFAULT: Layer
RELATION_UNSPECIFIED: Relation
HISTORY_RECALL: Relation
CONTEXTUAL_FOLLOW_UP: Relation
NEW_TOPIC_PROCEDURAL: Relation
NEW_TOPIC_INFORMATIONAL: Relation
ACTION_UNSPECIFIED: Action
NONE: Action
HISTORY: Action
REWRITE: Action
FRESH: Action
PLAN_MODE_UNSPECIFIED: PlanMode
DIRECT_LLM: PlanMode
SINGLE_RETRIEVAL: PlanMode
MULTI_RETRIEVAL: PlanMode
ORIGIN_UNSPECIFIED: Origin
SEARCH: Origin
LEDGER: Origin
TOOL: Origin
OUTCOME_UNSPECIFIED: Outcome
COMPLETE: Outcome
PARTIAL: Outcome
FAILED: Outcome
RATING_UNSPECIFIED: Rating
UP: Rating
DOWN: Rating

class AgentRequest(_message.Message):
    __slots__ = ("query", "session_id", "editor_content", "selected_text", "extra_context", "user_info", "query_type", "request_id")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    EDITOR_CONTENT_FIELD_NUMBER: _ClassVar[int]
    SELECTED_TEXT_FIELD_NUMBER: _ClassVar[int]
    EXTRA_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    USER_INFO_FIELD_NUMBER: _ClassVar[int]
    QUERY_TYPE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    query: str
    session_id: str
    editor_content: str
    selected_text: str
    extra_context: str
    user_info: str
    query_type: QueryType
    request_id: str
    def __init__(self, query: _Optional[str] = ..., session_id: _Optional[str] = ..., editor_content: _Optional[str] = ..., selected_text: _Optional[str] = ..., extra_context: _Optional[str] = ..., user_info: _Optional[str] = ..., query_type: _Optional[_Union[QueryType, str]] = ..., request_id: _Optional[str] = ...) -> None: ...

class LayerOpinion(_message.Message):
    __slots__ = ("layer", "type", "confidence", "reason", "milliseconds")
    LAYER_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MILLISECONDS_FIELD_NUMBER: _ClassVar[int]
    layer: Layer
    type: QueryType
    confidence: float
    reason: str
    milliseconds: float
    def __init__(self, layer: _Optional[_Union[Layer, str]] = ..., type: _Optional[_Union[QueryType, str]] = ..., confidence: _Optional[float] = ..., reason: _Optional[str] = ..., milliseconds: _Optional[float] = ...) -> None: ...

class Route(_message.Message):
    __slots__ = ("type", "layer", "confidence", "runner_up", "runner_up_confidence", "editor", "relation", "action", "plan_mode", "search_query", "model", "reason", "artifact_id", "milliseconds", "opinions", "plan", "relation_confidence", "relation_reason")
    class MillisecondsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: float
        def __init__(self, key: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...
    TYPE_FIELD_NUMBER: _ClassVar[int]
    LAYER_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    RUNNER_UP_FIELD_NUMBER: _ClassVar[int]
    RUNNER_UP_CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    EDITOR_FIELD_NUMBER: _ClassVar[int]
    RELATION_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    PLAN_MODE_FIELD_NUMBER: _ClassVar[int]
    SEARCH_QUERY_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    ARTIFACT_ID_FIELD_NUMBER: _ClassVar[int]
    MILLISECONDS_FIELD_NUMBER: _ClassVar[int]
    OPINIONS_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    RELATION_CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    RELATION_REASON_FIELD_NUMBER: _ClassVar[int]
    type: QueryType
    layer: Layer
    confidence: float
    runner_up: QueryType
    runner_up_confidence: float
    editor: bool
    relation: Relation
    action: Action
    plan_mode: PlanMode
    search_query: str
    model: str
    reason: str
    artifact_id: str
    milliseconds: _containers.ScalarMap[str, float]
    opinions: _containers.RepeatedCompositeFieldContainer[LayerOpinion]
    plan: Plan
    relation_confidence: float
    relation_reason: str
    def __init__(self, type: _Optional[_Union[QueryType, str]] = ..., layer: _Optional[_Union[Layer, str]] = ..., confidence: _Optional[float] = ..., runner_up: _Optional[_Union[QueryType, str]] = ..., runner_up_confidence: _Optional[float] = ..., editor: _Optional[bool] = ..., relation: _Optional[_Union[Relation, str]] = ..., action: _Optional[_Union[Action, str]] = ..., plan_mode: _Optional[_Union[PlanMode, str]] = ..., search_query: _Optional[str] = ..., model: _Optional[str] = ..., reason: _Optional[str] = ..., artifact_id: _Optional[str] = ..., milliseconds: _Optional[_Mapping[str, float]] = ..., opinions: _Optional[_Iterable[_Union[LayerOpinion, _Mapping]]] = ..., plan: _Optional[_Union[Plan, _Mapping]] = ..., relation_confidence: _Optional[float] = ..., relation_reason: _Optional[str] = ...) -> None: ...

class Plan(_message.Message):
    __slots__ = ("mode", "reason", "complexity", "subqueries")
    MODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    COMPLEXITY_FIELD_NUMBER: _ClassVar[int]
    SUBQUERIES_FIELD_NUMBER: _ClassVar[int]
    mode: str
    reason: str
    complexity: str
    subqueries: _containers.RepeatedCompositeFieldContainer[Subquery]
    def __init__(self, mode: _Optional[str] = ..., reason: _Optional[str] = ..., complexity: _Optional[str] = ..., subqueries: _Optional[_Iterable[_Union[Subquery, _Mapping]]] = ...) -> None: ...

class Subquery(_message.Message):
    __slots__ = ("id", "description", "query", "tool", "priority")
    ID_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    TOOL_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    id: str
    description: str
    query: str
    tool: str
    priority: int
    def __init__(self, id: _Optional[str] = ..., description: _Optional[str] = ..., query: _Optional[str] = ..., tool: _Optional[str] = ..., priority: _Optional[int] = ...) -> None: ...

class ToolCall(_message.Message):
    __slots__ = ("subquery", "tool", "milliseconds", "error", "characters")
    SUBQUERY_FIELD_NUMBER: _ClassVar[int]
    TOOL_FIELD_NUMBER: _ClassVar[int]
    MILLISECONDS_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    CHARACTERS_FIELD_NUMBER: _ClassVar[int]
    subquery: str
    tool: str
    milliseconds: float
    error: str
    characters: int
    def __init__(self, subquery: _Optional[str] = ..., tool: _Optional[str] = ..., milliseconds: _Optional[float] = ..., error: _Optional[str] = ..., characters: _Optional[int] = ...) -> None: ...

class Evaluation(_message.Message):
    __slots__ = ("complete", "completeness_score", "issues", "followup_subqueries")
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    COMPLETENESS_SCORE_FIELD_NUMBER: _ClassVar[int]
    ISSUES_FIELD_NUMBER: _ClassVar[int]
    FOLLOWUP_SUBQUERIES_FIELD_NUMBER: _ClassVar[int]
    complete: bool
    completeness_score: float
    issues: _containers.RepeatedScalarFieldContainer[str]
    followup_subqueries: _containers.RepeatedCompositeFieldContainer[Subquery]
    def __init__(self, complete: _Optional[bool] = ..., completeness_score: _Optional[float] = ..., issues: _Optional[_Iterable[str]] = ..., followup_subqueries: _Optional[_Iterable[_Union[Subquery, _Mapping]]] = ...) -> None: ...

class Source(_message.Message):
    __slots__ = ("number", "passage_id", "document", "title", "heading", "text", "score", "origin")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    PASSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    HEADING_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    number: int
    passage_id: str
    document: str
    title: str
    heading: str
    text: str
    score: float
    origin: Origin
    def __init__(self, number: _Optional[int] = ..., passage_id: _Optional[str] = ..., document: _Optional[str] = ..., title: _Optional[str] = ..., heading: _Optional[str] = ..., text: _Optional[str] = ..., score: _Optional[float] = ..., origin: _Optional[_Union[Origin, str]] = ...) -> None: ...

class Sources(_message.Message):
    __slots__ = ("sources",)
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    sources: _containers.RepeatedCompositeFieldContainer[Source]
    def __init__(self, sources: _Optional[_Iterable[_Union[Source, _Mapping]]] = ...) -> None: ...

class Citation(_message.Message):
    __slots__ = ("number", "passage_id", "document", "title", "heading", "text", "origin")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    PASSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    HEADING_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    number: int
    passage_id: str
    document: str
    title: str
    heading: str
    text: str
    origin: Origin
    def __init__(self, number: _Optional[int] = ..., passage_id: _Optional[str] = ..., document: _Optional[str] = ..., title: _Optional[str] = ..., heading: _Optional[str] = ..., text: _Optional[str] = ..., origin: _Optional[_Union[Origin, str]] = ...) -> None: ...

class Usage(_message.Message):
    __slots__ = ("prompt_tokens", "completion_tokens")
    PROMPT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    COMPLETION_TOKENS_FIELD_NUMBER: _ClassVar[int]
    prompt_tokens: int
    completion_tokens: int
    def __init__(self, prompt_tokens: _Optional[int] = ..., completion_tokens: _Optional[int] = ...) -> None: ...

class Progress(_message.Message):
    __slots__ = ("stage", "detail")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    stage: str
    detail: str
    def __init__(self, stage: _Optional[str] = ..., detail: _Optional[str] = ...) -> None: ...

class AgentResponse(_message.Message):
    __slots__ = ("text", "session_id", "turn_id", "route", "citations", "searches", "usage", "timings", "outcome", "tool_calls", "evaluation", "passes", "answerability", "grounding", "unsupported", "prompt")
    class TimingsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: float
        def __init__(self, key: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...
    TEXT_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    ROUTE_FIELD_NUMBER: _ClassVar[int]
    CITATIONS_FIELD_NUMBER: _ClassVar[int]
    SEARCHES_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    TIMINGS_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALLS_FIELD_NUMBER: _ClassVar[int]
    EVALUATION_FIELD_NUMBER: _ClassVar[int]
    PASSES_FIELD_NUMBER: _ClassVar[int]
    ANSWERABILITY_FIELD_NUMBER: _ClassVar[int]
    GROUNDING_FIELD_NUMBER: _ClassVar[int]
    UNSUPPORTED_FIELD_NUMBER: _ClassVar[int]
    PROMPT_FIELD_NUMBER: _ClassVar[int]
    text: str
    session_id: str
    turn_id: str
    route: Route
    citations: _containers.RepeatedCompositeFieldContainer[Citation]
    searches: int
    usage: Usage
    timings: _containers.ScalarMap[str, float]
    outcome: Outcome
    tool_calls: _containers.RepeatedCompositeFieldContainer[ToolCall]
    evaluation: Evaluation
    passes: int
    answerability: float
    grounding: float
    unsupported: _containers.RepeatedCompositeFieldContainer[UnsupportedSentence]
    prompt: PromptReceipt
    def __init__(self, text: _Optional[str] = ..., session_id: _Optional[str] = ..., turn_id: _Optional[str] = ..., route: _Optional[_Union[Route, _Mapping]] = ..., citations: _Optional[_Iterable[_Union[Citation, _Mapping]]] = ..., searches: _Optional[int] = ..., usage: _Optional[_Union[Usage, _Mapping]] = ..., timings: _Optional[_Mapping[str, float]] = ..., outcome: _Optional[_Union[Outcome, str]] = ..., tool_calls: _Optional[_Iterable[_Union[ToolCall, _Mapping]]] = ..., evaluation: _Optional[_Union[Evaluation, _Mapping]] = ..., passes: _Optional[int] = ..., answerability: _Optional[float] = ..., grounding: _Optional[float] = ..., unsupported: _Optional[_Iterable[_Union[UnsupportedSentence, _Mapping]]] = ..., prompt: _Optional[_Union[PromptReceipt, _Mapping]] = ...) -> None: ...

class UnsupportedSentence(_message.Message):
    __slots__ = ("start", "end", "reason")
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    start: int
    end: int
    reason: str
    def __init__(self, start: _Optional[int] = ..., end: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class PromptReceipt(_message.Message):
    __slots__ = ("tokens", "seconds", "passages", "exchanges", "characters")
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    PASSAGES_FIELD_NUMBER: _ClassVar[int]
    EXCHANGES_FIELD_NUMBER: _ClassVar[int]
    CHARACTERS_FIELD_NUMBER: _ClassVar[int]
    tokens: int
    seconds: float
    passages: int
    exchanges: int
    characters: int
    def __init__(self, tokens: _Optional[int] = ..., seconds: _Optional[float] = ..., passages: _Optional[int] = ..., exchanges: _Optional[int] = ..., characters: _Optional[int] = ...) -> None: ...

class AgentEvent(_message.Message):
    __slots__ = ("route", "progress", "sources", "text_delta", "completed")
    ROUTE_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    TEXT_DELTA_FIELD_NUMBER: _ClassVar[int]
    COMPLETED_FIELD_NUMBER: _ClassVar[int]
    route: Route
    progress: Progress
    sources: Sources
    text_delta: str
    completed: AgentResponse
    def __init__(self, route: _Optional[_Union[Route, _Mapping]] = ..., progress: _Optional[_Union[Progress, _Mapping]] = ..., sources: _Optional[_Union[Sources, _Mapping]] = ..., text_delta: _Optional[str] = ..., completed: _Optional[_Union[AgentResponse, _Mapping]] = ...) -> None: ...

class IntentHistoryEntry(_message.Message):
    __slots__ = ("type", "query")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    type: QueryType
    query: str
    def __init__(self, type: _Optional[_Union[QueryType, str]] = ..., query: _Optional[str] = ...) -> None: ...

class ClassifyRequest(_message.Message):
    __slots__ = ("query", "session_id", "editor_content", "selected_text", "extra_context", "query_type", "history")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    EDITOR_CONTENT_FIELD_NUMBER: _ClassVar[int]
    SELECTED_TEXT_FIELD_NUMBER: _ClassVar[int]
    EXTRA_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    QUERY_TYPE_FIELD_NUMBER: _ClassVar[int]
    HISTORY_FIELD_NUMBER: _ClassVar[int]
    query: str
    session_id: str
    editor_content: str
    selected_text: str
    extra_context: str
    query_type: QueryType
    history: _containers.RepeatedCompositeFieldContainer[IntentHistoryEntry]
    def __init__(self, query: _Optional[str] = ..., session_id: _Optional[str] = ..., editor_content: _Optional[str] = ..., selected_text: _Optional[str] = ..., extra_context: _Optional[str] = ..., query_type: _Optional[_Union[QueryType, str]] = ..., history: _Optional[_Iterable[_Union[IntentHistoryEntry, _Mapping]]] = ...) -> None: ...

class GoldenCase(_message.Message):
    __slots__ = ("id", "query", "type", "language", "relevant", "facts")
    ID_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    RELEVANT_FIELD_NUMBER: _ClassVar[int]
    FACTS_FIELD_NUMBER: _ClassVar[int]
    id: str
    query: str
    type: QueryType
    language: str
    relevant: _containers.RepeatedCompositeFieldContainer[RelevantSection]
    facts: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, id: _Optional[str] = ..., query: _Optional[str] = ..., type: _Optional[_Union[QueryType, str]] = ..., language: _Optional[str] = ..., relevant: _Optional[_Iterable[_Union[RelevantSection, _Mapping]]] = ..., facts: _Optional[_Iterable[str]] = ...) -> None: ...

class RelevantSection(_message.Message):
    __slots__ = ("document", "heading")
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    HEADING_FIELD_NUMBER: _ClassVar[int]
    document: str
    heading: str
    def __init__(self, document: _Optional[str] = ..., heading: _Optional[str] = ...) -> None: ...

class EvaluateRagRequest(_message.Message):
    __slots__ = ("cases", "limit", "query_type", "language")
    CASES_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    QUERY_TYPE_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    cases: _containers.RepeatedCompositeFieldContainer[GoldenCase]
    limit: int
    query_type: QueryType
    language: str
    def __init__(self, cases: _Optional[_Iterable[_Union[GoldenCase, _Mapping]]] = ..., limit: _Optional[int] = ..., query_type: _Optional[_Union[QueryType, str]] = ..., language: _Optional[str] = ...) -> None: ...

class EvaluateRagEvent(_message.Message):
    __slots__ = ("progress", "report")
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    REPORT_FIELD_NUMBER: _ClassVar[int]
    progress: EvaluateRagProgress
    report: EvaluateRagReport
    def __init__(self, progress: _Optional[_Union[EvaluateRagProgress, _Mapping]] = ..., report: _Optional[_Union[EvaluateRagReport, _Mapping]] = ...) -> None: ...

class EvaluateRagProgress(_message.Message):
    __slots__ = ("done", "total", "case_id")
    DONE_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    CASE_ID_FIELD_NUMBER: _ClassVar[int]
    done: int
    total: int
    case_id: str
    def __init__(self, done: _Optional[int] = ..., total: _Optional[int] = ..., case_id: _Optional[str] = ...) -> None: ...

class EvaluateRagMetrics(_message.Message):
    __slots__ = ("cases", "routing_accuracy", "hit_at_3", "recall", "ndcg", "mrr", "citation_precision", "fact_coverage", "first_token_ms", "total_ms", "grounding")
    CASES_FIELD_NUMBER: _ClassVar[int]
    ROUTING_ACCURACY_FIELD_NUMBER: _ClassVar[int]
    HIT_AT_3_FIELD_NUMBER: _ClassVar[int]
    RECALL_FIELD_NUMBER: _ClassVar[int]
    NDCG_FIELD_NUMBER: _ClassVar[int]
    MRR_FIELD_NUMBER: _ClassVar[int]
    CITATION_PRECISION_FIELD_NUMBER: _ClassVar[int]
    FACT_COVERAGE_FIELD_NUMBER: _ClassVar[int]
    FIRST_TOKEN_MS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_MS_FIELD_NUMBER: _ClassVar[int]
    GROUNDING_FIELD_NUMBER: _ClassVar[int]
    cases: int
    routing_accuracy: float
    hit_at_3: float
    recall: float
    ndcg: float
    mrr: float
    citation_precision: float
    fact_coverage: float
    first_token_ms: float
    total_ms: float
    grounding: float
    def __init__(self, cases: _Optional[int] = ..., routing_accuracy: _Optional[float] = ..., hit_at_3: _Optional[float] = ..., recall: _Optional[float] = ..., ndcg: _Optional[float] = ..., mrr: _Optional[float] = ..., citation_precision: _Optional[float] = ..., fact_coverage: _Optional[float] = ..., first_token_ms: _Optional[float] = ..., total_ms: _Optional[float] = ..., grounding: _Optional[float] = ...) -> None: ...

class EvaluateRagReport(_message.Message):
    __slots__ = ("overall", "by_type", "by_language")
    class ByTypeEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: EvaluateRagMetrics
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[EvaluateRagMetrics, _Mapping]] = ...) -> None: ...
    class ByLanguageEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: EvaluateRagMetrics
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[EvaluateRagMetrics, _Mapping]] = ...) -> None: ...
    OVERALL_FIELD_NUMBER: _ClassVar[int]
    BY_TYPE_FIELD_NUMBER: _ClassVar[int]
    BY_LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    overall: EvaluateRagMetrics
    by_type: _containers.MessageMap[str, EvaluateRagMetrics]
    by_language: _containers.MessageMap[str, EvaluateRagMetrics]
    def __init__(self, overall: _Optional[_Union[EvaluateRagMetrics, _Mapping]] = ..., by_type: _Optional[_Mapping[str, EvaluateRagMetrics]] = ..., by_language: _Optional[_Mapping[str, EvaluateRagMetrics]] = ...) -> None: ...

class GetSessionRequest(_message.Message):
    __slots__ = ("session_id", "page_size", "page_token")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    page_size: int
    page_token: str
    def __init__(self, session_id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class DeleteSessionRequest(_message.Message):
    __slots__ = ("session_id",)
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    def __init__(self, session_id: _Optional[str] = ...) -> None: ...

class DeleteSessionResponse(_message.Message):
    __slots__ = ("deleted_turns",)
    DELETED_TURNS_FIELD_NUMBER: _ClassVar[int]
    deleted_turns: int
    def __init__(self, deleted_turns: _Optional[int] = ...) -> None: ...

class ListSessionsRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListSessionsResponse(_message.Message):
    __slots__ = ("sessions", "next_page_token")
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    sessions: _containers.RepeatedCompositeFieldContainer[SessionSummary]
    next_page_token: str
    def __init__(self, sessions: _Optional[_Iterable[_Union[SessionSummary, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class SessionSummary(_message.Message):
    __slots__ = ("session_id", "turns", "first_query", "created_at", "updated_at", "name")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    FIRST_QUERY_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    turns: int
    first_query: str
    created_at: float
    updated_at: float
    name: str
    def __init__(self, session_id: _Optional[str] = ..., turns: _Optional[int] = ..., first_query: _Optional[str] = ..., created_at: _Optional[float] = ..., updated_at: _Optional[float] = ..., name: _Optional[str] = ...) -> None: ...

class Session(_message.Message):
    __slots__ = ("session_id", "turns", "created_at", "updated_at", "next_page_token", "name")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    turns: _containers.RepeatedCompositeFieldContainer[StoredTurn]
    created_at: float
    updated_at: float
    next_page_token: str
    name: str
    def __init__(self, session_id: _Optional[str] = ..., turns: _Optional[_Iterable[_Union[StoredTurn, _Mapping]]] = ..., created_at: _Optional[float] = ..., updated_at: _Optional[float] = ..., next_page_token: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class StoredTurn(_message.Message):
    __slots__ = ("turn_id", "sequence", "query", "text", "type", "layer", "relation", "action", "search_query", "outcome", "model", "created_at", "corrected_type", "citations", "corrected_relation", "extra_context", "rating", "rating_reason")
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    LAYER_FIELD_NUMBER: _ClassVar[int]
    RELATION_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    SEARCH_QUERY_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    CORRECTED_TYPE_FIELD_NUMBER: _ClassVar[int]
    CITATIONS_FIELD_NUMBER: _ClassVar[int]
    CORRECTED_RELATION_FIELD_NUMBER: _ClassVar[int]
    EXTRA_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    RATING_FIELD_NUMBER: _ClassVar[int]
    RATING_REASON_FIELD_NUMBER: _ClassVar[int]
    turn_id: str
    sequence: int
    query: str
    text: str
    type: QueryType
    layer: Layer
    relation: Relation
    action: Action
    search_query: str
    outcome: Outcome
    model: str
    created_at: float
    corrected_type: QueryType
    citations: _containers.RepeatedCompositeFieldContainer[Citation]
    corrected_relation: Relation
    extra_context: str
    rating: Rating
    rating_reason: str
    def __init__(self, turn_id: _Optional[str] = ..., sequence: _Optional[int] = ..., query: _Optional[str] = ..., text: _Optional[str] = ..., type: _Optional[_Union[QueryType, str]] = ..., layer: _Optional[_Union[Layer, str]] = ..., relation: _Optional[_Union[Relation, str]] = ..., action: _Optional[_Union[Action, str]] = ..., search_query: _Optional[str] = ..., outcome: _Optional[_Union[Outcome, str]] = ..., model: _Optional[str] = ..., created_at: _Optional[float] = ..., corrected_type: _Optional[_Union[QueryType, str]] = ..., citations: _Optional[_Iterable[_Union[Citation, _Mapping]]] = ..., corrected_relation: _Optional[_Union[Relation, str]] = ..., extra_context: _Optional[str] = ..., rating: _Optional[_Union[Rating, str]] = ..., rating_reason: _Optional[str] = ...) -> None: ...

class RenameSessionRequest(_message.Message):
    __slots__ = ("session_id", "name")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    name: str
    def __init__(self, session_id: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class RenameSessionResponse(_message.Message):
    __slots__ = ("session_id", "name")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    name: str
    def __init__(self, session_id: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class RateTurnRequest(_message.Message):
    __slots__ = ("turn_id", "rating", "reason")
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    RATING_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    turn_id: str
    rating: Rating
    reason: str
    def __init__(self, turn_id: _Optional[str] = ..., rating: _Optional[_Union[Rating, str]] = ..., reason: _Optional[str] = ...) -> None: ...

class RateTurnResponse(_message.Message):
    __slots__ = ("turn_id", "rating", "reason")
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    RATING_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    turn_id: str
    rating: Rating
    reason: str
    def __init__(self, turn_id: _Optional[str] = ..., rating: _Optional[_Union[Rating, str]] = ..., reason: _Optional[str] = ...) -> None: ...

class CorrectTurnRequest(_message.Message):
    __slots__ = ("turn_id", "type", "relation")
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    RELATION_FIELD_NUMBER: _ClassVar[int]
    turn_id: str
    type: QueryType
    relation: Relation
    def __init__(self, turn_id: _Optional[str] = ..., type: _Optional[_Union[QueryType, str]] = ..., relation: _Optional[_Union[Relation, str]] = ...) -> None: ...

class CorrectTurnResponse(_message.Message):
    __slots__ = ("turn_id", "type", "previous_type", "relation", "previous_relation")
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_TYPE_FIELD_NUMBER: _ClassVar[int]
    RELATION_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_RELATION_FIELD_NUMBER: _ClassVar[int]
    turn_id: str
    type: QueryType
    previous_type: QueryType
    relation: Relation
    previous_relation: Relation
    def __init__(self, turn_id: _Optional[str] = ..., type: _Optional[_Union[QueryType, str]] = ..., previous_type: _Optional[_Union[QueryType, str]] = ..., relation: _Optional[_Union[Relation, str]] = ..., previous_relation: _Optional[_Union[Relation, str]] = ...) -> None: ...

class ListDocumentsRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListDocumentsResponse(_message.Message):
    __slots__ = ("documents", "next_page_token", "total", "passages", "embedder", "updated_at", "may_change")
    DOCUMENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    PASSAGES_FIELD_NUMBER: _ClassVar[int]
    EMBEDDER_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    MAY_CHANGE_FIELD_NUMBER: _ClassVar[int]
    documents: _containers.RepeatedCompositeFieldContainer[IndexedDocument]
    next_page_token: str
    total: int
    passages: int
    embedder: str
    updated_at: float
    may_change: bool
    def __init__(self, documents: _Optional[_Iterable[_Union[IndexedDocument, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total: _Optional[int] = ..., passages: _Optional[int] = ..., embedder: _Optional[str] = ..., updated_at: _Optional[float] = ..., may_change: _Optional[bool] = ...) -> None: ...

class IndexedDocument(_message.Message):
    __slots__ = ("name", "passages", "bytes", "modified_at")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PASSAGES_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    MODIFIED_AT_FIELD_NUMBER: _ClassVar[int]
    name: str
    passages: int
    bytes: int
    modified_at: float
    def __init__(self, name: _Optional[str] = ..., passages: _Optional[int] = ..., bytes: _Optional[int] = ..., modified_at: _Optional[float] = ...) -> None: ...

class RemoveDocumentRequest(_message.Message):
    __slots__ = ("document",)
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    document: str
    def __init__(self, document: _Optional[str] = ...) -> None: ...

class RemoveDocumentResponse(_message.Message):
    __slots__ = ("removed",)
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    removed: int
    def __init__(self, removed: _Optional[int] = ...) -> None: ...

class GetRouterRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RouterCard(_message.Message):
    __slots__ = ("artifact_id", "card")
    ARTIFACT_ID_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    artifact_id: str
    card: str
    def __init__(self, artifact_id: _Optional[str] = ..., card: _Optional[str] = ...) -> None: ...
