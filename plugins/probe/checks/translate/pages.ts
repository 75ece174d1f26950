/** What the pages of the checks say, by their id. */
import type { CheckPage } from '../../catalog/check.ts'

export const PAGES: Readonly<Record<string, CheckPage>> = {
  'TRN-TEXT': {
    sent: 'Conversations with spaces, blank lines, combining characters, emoji, and text that looks like markup or a control token; replies with the same.',
    expected: 'The same texts in the same turns, in both directions.',
    why: 'A model that reads another text gives another answer, and code loses its indentation.',
  },
  'TRN-SYSTEM': {
    sent: 'Conversations with one system prompt, with two, with a message of the developer, and with one behind the first turn where the client can send it.',
    expected: 'The same system texts, and no turn that has them.',
    why: 'What is in a turn of the user has no authority over the user; what is lost does not guide the model at all.',
    seen: ['BerriAI/litellm#17793'],
  },
  'TRN-PARAMS': {
    sent: 'Requests with every parameter that the client has, each with a different value, with zeros, with small numbers, and with a limit alone.',
    expected: 'The same values, where the upstream has the parameter.',
    why: 'A temperature of 0 that is dropped makes replies random, and a limit that grows makes them expensive.',
  },
  'TRN-MEDIA': {
    sent: 'Turns with an image in base64, one by its URL, two images between texts, and a PDF document.',
    expected: 'The same bytes or the same URL, of the same type, at the same place.',
    why: 'A model that does not get an image answers without it, or about another one.',
    seen: ['BerriAI/litellm#23712'],
  },
  'TRN-TOOLS': {
    sent: 'Three tools, one with a nested schema and one without arguments, with each choice of tools and without parallel calls.',
    expected: 'The same names, descriptions and schemas, and the same choice.',
    why: 'A keyword of a schema that is lost is an argument that the tool does not take; a choice that is lost is a call that was not requested.',
    seen: ['BerriAI/litellm#6136'],
  },
  'TRN-CALLS': {
    sent: 'Requests with tools, which are answered with one or two calls, plain and streamed.',
    expected: 'The same calls in the same order, with the same arguments, each with its own id.',
    why: 'An agent runs what it is given: a call that is missing or joined with another one breaks its loop.',
    seen: ['BerriAI/litellm#39796', 'vercel/ai#18440', 'openai/codex#7517'],
  },
  'TRN-RESULTS': {
    sent: 'Conversations in which two tools were called, with their results in order and reversed, as JSON, empty, as an error, and with a text behind them.',
    expected: 'Each result at its call, with its content and whether it is an error.',
    why: 'A result at another call is a wrong fact, and an error that reads like a result hides that the tool failed.',
  },
  'TRN-THINK': {
    sent: 'Loops of two turns: a reply with signed thinking and two calls, with redacted thinking, and with thinking between the calls; then the results.',
    expected:
      'In the second turn each signature and each redacted value as it was, in front of the call to which it belonged.',
    why: 'Vendors refuse a turn whose signatures are lost or changed, and without them the model forgets why it called.',
    seen: ['langgenius/dify#41092', 'maximhq/bifrost#6942'],
  },
  'TRN-CACHE': {
    sent: 'Requests with marks on tools, the system prompt, a text and a result: of one hour and five minutes, and all of five minutes.',
    expected: 'As many marks, behind the same blocks, with the same lifetimes.',
    why: 'Without its marks the whole prompt is paid for at full price on every turn.',
    seen: ['envoyproxy/ai-gateway#2528', 'envoyproxy/ai-gateway#2477'],
  },
  'TRN-SCHEMA': {
    sent: 'A request for a reply that follows a JSON schema, which is answered with such a reply.',
    expected: 'The same schema, and the reply as text.',
    why: 'Programs parse such replies: without the schema they get other members, and cannot parse a call in its place.',
  },
  'TRN-FINISH': {
    sent: 'Requests whose replies end for different reasons: complete, too long, tool calls, a stop sequence, a filter, a refusal.',
    expected: 'The reason in the words of the client.',
    why: 'Clients decide by the reason whether they run tools, ask for more, or show an error.',
    seen: ['BerriAI/litellm#34692', 'BerriAI/litellm#21041', 'BerriAI/litellm#39203'],
  },
  'TRN-USAGE': {
    sent: 'Requests whose replies have usage with a different number in each figure, and one without output.',
    expected: 'The same numbers in the members of the client, plain and streamed.',
    why: 'Users are billed, and budgets are enforced, by these numbers.',
    seen: ['BerriAI/litellm#36168', 'BerriAI/litellm#41067', 'BerriAI/litellm#31069', 'microsoft/agent-framework#7143'],
  },
  'TRN-EVENTS': {
    sent: 'Streamed requests, which are answered with a text and two calls, thinking and a text, a refusal, and nothing at all.',
    expected: 'The events that the vendor of the client documents, in their order, each once.',
    why: 'SDKs build replies from these events, and fail or lose parts when one is missing or comes twice.',
    seen: ['BerriAI/litellm#9545', 'BerriAI/litellm#32724'],
  },
  'TRN-COUNT': {
    sent: 'Two requests to count the tokens of a conversation with a system prompt and tools; the upstream counts 4711, then 17.',
    expected: 'These numbers.',
    why: 'Agents decide by the count when they shorten a conversation; a wrong one is a refused or a needlessly short request.',
    seen: ['BerriAI/litellm#37102', 'BerriAI/litellm#33281', 'envoyproxy/ai-gateway#1360'],
  },
  'TRN-LONG': {
    sent: 'A text of 220 KiB, 64 tools, 120 turns, and a result of 100 KiB.',
    expected: 'All of it, or a refusal.',
    why: 'What is cut without an error is missed by the model, and nothing shows why.',
  },
  'TRN-SHAPES': {
    sent: 'Streamed requests, whose replies are written as vendors, proxies and compatible servers were seen to: bytes in pieces or together, other line ends, comments, usage at another place, calls without an index or an id.',
    expected: 'The same text, calls, reason and usage as without it.',
    why: 'A gateway that reads one form of a stream loses replies as soon as another server, or another proxy, is behind it.',
    seen: ['BerriAI/litellm#30761'],
  },
  'TRN-ERROR': {
    sent: 'Requests that the upstream refuses, or fails to answer, in eleven ways: a wrong request, a prompt that is too long, a rate limit with Retry-After, an overload, a wrong credential and others; plain and streamed.',
    expected: 'An error of the same class in the form of the client, with Retry-After, and before the stream begins.',
    why: 'Clients decide by it whether they wait, try again, shorten the prompt or give up; an error that looks like a reply is used as one.',
    seen: ['BerriAI/litellm#37754', 'BerriAI/litellm#38153'],
  },
  'TRN-BREAK': {
    sent: 'Streams that fail after five deltas: with an error event, by a closed connection, and by one in the arguments of a call.',
    expected: 'An error event that the SDK of the client raises, or a broken connection.',
    why: 'Half a reply is used as if it were whole, and half of the arguments are run.',
    seen: ['BerriAI/litellm#29808'],
  },
  'TRN-CANCEL': {
    sent: 'A stream that the client leaves after four events, and a request that it leaves after a second.',
    expected: 'The request to the upstream ends within five seconds.',
    why: 'The vendor goes on, and the tokens are paid for, until its connection is closed.',
    seen: ['BerriAI/litellm#37140', 'BerriAI/litellm#13774'],
  },
  'TRN-EMBED': {
    sent: 'Three inputs with a number of dimensions, as numbers and in base64, and one input as a text.',
    expected:
      'The vectors in the order of the inputs, with the same values, in the form that was requested, and the usage.',
    why: 'A vector at the wrong input is found for the wrong text, and no error shows it.',
  },
  'TRN-VALID': {
    sent: 'The requests of the checks of conversations, tools and parameters once more.',
    expected:
      "Requests that violate no rule of the upstream's vendor, since the client's requests violate none of theirs.",
    why: 'The vendor itself would refuse the request, in production and not in a test with a lenient mock.',
  },
}
