"""script/limits: what the vendors answer where something is refused, in their own words, and what orch must say then."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from script import Fail

SUBSCRIBER = "claude-plan"  # claude with a subscription in place of a key
AGENTS = ("claude", SUBSCRIBER, "codex", "gemini", "opencode")
LATER, ERROR, TIMEOUT = (75, "retry_later"), (1, "agent_error"), (124, "timeout")


@dataclass(frozen=True)
class Right:
    """What must be told: code and reason, the cause, and, where the end of a limit is known, in how many seconds."""

    ending: tuple[int, str]
    cause: str | None = None
    again_s: int | None = None


@dataclass(frozen=True)
class Scenario:
    """The model refuses by `fails`, made when the run begins, by the agent; `right` is by the agent, or by agent and
    mode where the modes differ."""

    name: str
    fails: dict[str, Callable[[], Fail]]
    right: dict[str | tuple[str, str], Right]
    options: tuple[str, ...] = ()
    recovers: bool = False  # refused once; after that the model answers
    detached: bool = False  # orch run -d, then orch wait

    def right_for(self, agent: str, mode: str) -> Right:
        return self.right.get((agent, mode)) or self.right[agent]


def anthropic(status: int, kind: str, message: str, **headers: str) -> Callable[[], Fail]:
    return lambda: Fail(status, message, headers=_named(headers), error=(("type", kind),))


def subscription(claim: str, ahead_s: int, **more: str) -> Callable[[], Fail]:
    """A limit of claude's plans; they end at full minutes."""
    def fail() -> Fail:
        end = str(int(time.time()) + ahead_s)
        headers = {"status": "rejected", "reset": end, "representative_claim": claim, "fallback": "", **more}
        unified = {f"anthropic_ratelimit_unified_{name}": value for name, value in headers.items()}
        message = "This request would exceed your account's rate limit. Please try again later."
        named = _named(unified | {"retry_after": str(ahead_s)})
        return Fail(429, message, headers=named, error=(("type", "rate_limit_error"),))
    return fail


def openai(status: int, message: str, kind: str = "invalid_request_error", code: str | None = None,
           **headers: str) -> Callable[[], Fail]:
    return lambda: Fail(status, message, headers=_named(headers), error=(("type", kind), ("code", code)))


def codex_plan(ahead_s: int) -> Callable[[], Fail]:
    """The limit of a ChatGPT plan, and the headers by which codex offers a cheaper model."""
    def fail() -> Fail:
        end = int(time.time()) + ahead_s
        error = {"type": "usage_limit_reached", "plan_type": "plus", "resets_at": end, "resets_in_seconds": ahead_s}
        headers = {"x_codex_primary_used_percent": "100.0", "x_codex_primary_window_minutes": "300",
                   "x_codex_primary_reset_at": str(end)}
        return Fail(429, "The usage limit has been reached", headers=_named(headers), error=tuple(error.items()))
    return fail


def google(status: int, name: str, message: str, quota: str | None = None, delay: str | None = None
           ) -> Callable[[], Fail]:
    """`quota`: the id of the quota that is used up; `delay`: when to try again, "34.5s"."""
    kind = "type.googleapis.com/google.rpc."
    details: list[dict] = []
    if quota:
        violation = {"quotaMetric": "generativelanguage.googleapis.com/requests", "quotaId": quota, "quotaValue": "50"}
        details.append({"@type": kind + "QuotaFailure", "violations": [violation]})
    if delay:
        details.append({"@type": kind + "RetryInfo", "retryDelay": delay})
    error = {"status": name} | ({"details": details} if details else {})
    return lambda: Fail(status, message, error=tuple(error.items()))


def _named(headers: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((name.replace("_", "-"), value) for name, value in headers.items())


def _errors(name: str, right: Right, *, claude: Callable[[], Fail], codex: Callable[[], Fail],
            gemini: Callable[[], Fail], opencode: Callable[[], Fail],
            other: dict[str | tuple[str, str], Right] | None = None) -> Scenario:
    """One error of all vendors, told alike but for `other`."""
    fails = {"claude": claude, "codex": codex, "gemini": gemini, "opencode": opencode}
    return Scenario(name, fails, {agent: right for agent in fails} | (other or {}))


# An agent that asks again for longer than a run may take here: the run's own time limit ends it.
ASKS_AGAIN = Right(TIMEOUT)
KEY = "Incorrect API key provided: sk-ant-*****-key."
NO_RIGHT = "Your account does not have permission to use this."
NO_CREDIT = "Your credit balance is too low to access the API. Please go to Plans & Billing to purchase credits."
DAY = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"
QUOTA = "You exceeded your current quota, please check your plan and billing details. Please retry in {}."

ERRORS = (
    _errors(
        "too long", Right(ERROR, "context"),
        claude=anthropic(400, "invalid_request_error", "prompt is too long: 215000 tokens > 200000 maximum"),
        codex=openai(400, "Your input exceeds the context window of this model.", code="context_length_exceeded"),
        gemini=google(400, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens "
                      "allowed (1048576)."),
        opencode=openai(400, "This model's maximum context length is 128000 tokens. However, your messages resulted in "
                        "140000 tokens.", code="context_length_exceeded"),
        other={"opencode": ASKS_AGAIN},  # it makes the conversation shorter, again and again
    ),
    _errors(
        "refused", Right(ERROR, "api"),
        claude=anthropic(400, "invalid_request_error", "tools.0.name: must match a pattern"),
        codex=openai(400, "tools.0.name: must match a pattern"),
        gemini=google(400, "INVALID_ARGUMENT", "tools[0].name: must match a pattern"),
        opencode=openai(400, "tools.0.name: must match a pattern"),
    ),
    _errors(
        "wrong key", Right(ERROR, "auth"),
        claude=anthropic(401, "authentication_error", "invalid x-api-key"),
        codex=openai(401, KEY, code="invalid_api_key"),
        gemini=google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
        opencode=openai(401, KEY, code="invalid_api_key"),
    ),
    _errors(
        "no credit", Right(ERROR, "api"),
        claude=anthropic(400, "invalid_request_error", NO_CREDIT.replace("the API", "the Anthropic API")),
        codex=openai(402, NO_CREDIT, "insufficient_quota"),
        gemini=google(402, "FAILED_PRECONDITION", NO_CREDIT),
        opencode=openai(402, NO_CREDIT, "insufficient_quota"),
    ),
    _errors(
        "no permission", Right(ERROR, "auth"),
        claude=anthropic(403, "permission_error", NO_RIGHT),
        codex=openai(403, NO_RIGHT), gemini=google(403, "PERMISSION_DENIED", NO_RIGHT), opencode=openai(403, NO_RIGHT),
    ),
    _errors(
        "no model", Right(ERROR, "model"),
        claude=anthropic(404, "not_found_error", "model: claude-nothing"),
        codex=openai(404, "The model `gpt-5.5` does not exist or you do not have access to it.", code="model_not_found"),
        gemini=google(404, "NOT_FOUND", "models/nothing is not found for API version v1beta, or is not supported for "
                      "generateContent."),
        opencode=openai(404, "The model `canary` does not exist or you do not have access to it.",
                        code="model_not_found"),
        other={("gemini", "interactive"): Right((10, "needs_human"))},  # a dialog: try again, or stop?
    ),
    _errors(
        "rate limit", Right(LATER, "rate_limit"),
        claude=anthropic(429, "rate_limit_error", "This request would exceed your organization's rate limit of 50 "
                         "requests per minute."),
        codex=openai(429, "Rate limit reached for requests", "requests", "rate_limit_exceeded"),
        gemini=google(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
        opencode=openai(429, "Rate limit reached for requests", "requests", "rate_limit_exceeded"),
        other={("gemini", "interactive"): ASKS_AGAIN, "opencode": ASKS_AGAIN},
    ),
    _errors(
        "overloaded", Right(LATER, "overloaded"),
        claude=anthropic(529, "overloaded_error", "Overloaded"),
        codex=openai(503, "Overloaded", "server_error"),
        gemini=google(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
        opencode=openai(503, "Overloaded", "server_error"),
        other={("gemini", "interactive"): ASKS_AGAIN, "opencode": ASKS_AGAIN},
    ),
)
HOURS_S, DAYS_S, SOON_S = 2 * 3600, 50 * 3600, 30
SESSION, WEEK = subscription("five_hour", HOURS_S), subscription("seven_day", DAYS_S)
OF_SESSION = Right(LATER, "rate_limit", HOURS_S)
WAIT = ("--on-limit", "wait")
LIMITS = (
    Scenario("end in 30 s", {"claude": anthropic(429, "rate_limit_error", "Please try again in 30 seconds.",
                                                 retry_after="3600")},
             {"claude": Right(LATER, "rate_limit", 30)}),
    Scenario("session", {SUBSCRIBER: SESSION}, {SUBSCRIBER: OF_SESSION}),
    Scenario("session, --approve all", {SUBSCRIBER: SESSION}, {SUBSCRIBER: OF_SESSION}, ("--approve", "all")),
    Scenario("session, -d", {SUBSCRIBER: SESSION}, {SUBSCRIBER: OF_SESSION}, detached=True),
    Scenario("week", {SUBSCRIBER: WEEK, "codex": codex_plan(DAYS_S)},
             {SUBSCRIBER: Right(LATER, "rate_limit", DAYS_S), "codex": Right(LATER, "rate_limit", DAYS_S)}),
    Scenario("Opus", {SUBSCRIBER: subscription("seven_day_opus", DAYS_S)},
             {SUBSCRIBER: Right(LATER, "rate_limit", DAYS_S)}),
    Scenario("extra usage spent",
             {SUBSCRIBER: subscription("five_hour", HOURS_S, overage_status="rejected",
                                       overage_disabled_reason="out_of_credits")},
             {SUBSCRIBER: OF_SESSION}),
    Scenario("extra usage in use", {SUBSCRIBER: subscription("five_hour", HOURS_S, overage_status="allowed")},
             {SUBSCRIBER: OF_SESSION}),
    Scenario("5 hours", {"codex": codex_plan(HOURS_S)}, {"codex": OF_SESSION}),
    Scenario("day", {"gemini": google(429, "RESOURCE_EXHAUSTED", QUOTA.format("12h3m"), DAY)},
             # Its dialog does not name the end, its words on standard error do.
             {"gemini": Right(LATER, "rate_limit"), ("gemini", "headless"): Right(LATER, "rate_limit", 12 * 3600 + 180)}),
    Scenario("waited out", {SUBSCRIBER: subscription("five_hour", SOON_S), "codex": codex_plan(SOON_S)},
             {SUBSCRIBER: Right((0, "complete")), "codex": Right((0, "complete"))}, WAIT, recovers=True),
)
SCENARIOS = LIMITS + ERRORS
