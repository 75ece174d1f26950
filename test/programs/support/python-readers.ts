/** What Python packages make of streams: text, calls and end, or the class of their error. */

/** Other codings than gzip depend on which optional packages are installed. */
export const SHAPES: readonly string[] = [
  'split=utf8',
  'split=line',
  'split=end',
  'split=byte',
  'split=7',
  'join=3',
  'crlf',
  'cr',
  'bom',
  'nospace',
  'multiline',
  'comments=wait@2',
  'heartbeat=20',
  'retry=3000',
  'eventid',
  'no-done',
  'no-end',
  'no-finish',
  'usage=own',
  'usage=last',
  'usage=every',
  'usage=twice',
  'usage=none',
  'role=absent',
  'role=every',
  'id=changing',
  'start-twice',
  'error-first',
  'type=json',
  'type=text',
  'bad-crc',
  'null=details',
  'null=tool_calls',
  'null=logprobs',
  'sequence=zero',
  'tools=interleaved',
  'tools=same-index',
  'tools=no-index',
  'tools=no-id',
  'tools=blank-id',
  'tools=repeat-id',
  'tools=fused',
  'tools=late-name',
  'tools=whole',
  'tools=empty-args',
  'usage=beside',
  'usage=last+null',
  'usage=last+strings',
  'usage=last+bare',
  'null=content',
  'null=delta',
  'null=message',
  'null=finish',
  'empty-choices',
  'done=twice',
  'done=early',
  'finish=odd',
  'huge=100000',
  'gzip=force',
  'order=swapped',
  'sequence=absent',
  'id=absent',
  'completed=bare',
  'signature=split',
  'error-200',
]

export const PLAIN: Readonly<Record<string, string>> = {
  'openai (Python)': 'One moment. | weather{"city":"Oslo"} now{} | tool_calls',
  'responses (Python)': 'One moment. | weather{"city":"Oslo"} now{} | completed',
  'anthropic (Python)': 'One moment. | weather{"city":"Oslo"} now{} | tool_use',
  'google-genai (Python)': 'One moment. | weather{"city":"Oslo"} now{} | STOP',
  'litellm (chat)': 'One moment. | weather{"city":"Oslo"} now{} | tool_calls',
  'litellm (messages)': 'One moment. | weather{"city":"Oslo"} now{} | tool_calls',
  'litellm (gemini)': 'One moment. | weather{"city": "Oslo"} now{} | tool_calls',
}

/** What differs from the plain reply, by shape and reader; a list: versions of LiteLLM differ. */
export const DIFFERENT: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>> = {
  bom: {
    'anthropic (Python)': 'AssertionError',
    'google-genai (Python)': 'UnknownApiResponseError',
    'litellm (gemini)': ' |  | stop',
  },
  nospace: {
    'google-genai (Python)': 'UnknownApiResponseError',
  },
  'comments=wait@2': {
    'google-genai (Python)': 'UnknownApiResponseError',
    'litellm (gemini)': 'One moment. |  | stop',
  },
  'retry=3000': {
    'openai (Python)': 'JSONDecodeError',
    'responses (Python)': 'JSONDecodeError',
    'google-genai (Python)': 'UnknownApiResponseError',
    'litellm (chat)': 'MidStreamFallbackError',
    'litellm (gemini)': ' |  | stop',
  },
  eventid: {
    'google-genai (Python)': 'UnknownApiResponseError',
    'litellm (gemini)': ' |  | stop',
  },
  'no-done': {
    'responses (Python)': 'RuntimeError',
  },
  'no-end': {
    'responses (Python)': 'RuntimeError',
  },
  'no-finish': {
    'openai (Python)': 'One moment. | weather{"city":"Oslo"} now{} | None',
    'anthropic (Python)': 'One moment. | weather{"city":"Oslo"} now{} | None',
    'google-genai (Python)': 'One moment. |  | None',
    'litellm (chat)': 'One moment. | weather{"city":"Oslo"} now{} | stop',
    'litellm (messages)': 'One moment. | weather{"city":"Oslo"} now{} | stop',
    'litellm (gemini)': 'One moment. |  | stop',
  },
  'usage=none': {
    'anthropic (Python)': 'AttributeError',
  },
  'start-twice': {
    'google-genai (Python)': 'One moment.One moment. | weather{"city":"Oslo"} now{} | STOP',
    'litellm (gemini)': 'One moment.One moment. | weather{"city": "Oslo"} now{} | tool_calls',
  },
  'error-first': {
    'openai (Python)': 'APIError',
    'responses (Python)': 'APIError',
    'anthropic (Python)': 'APIStatusError',
    'google-genai (Python)': 'ServerError',
    'litellm (chat)': 'MidStreamFallbackError',
    'litellm (messages)': 'MidStreamFallbackError',
    'litellm (gemini)': 'MidStreamFallbackError',
  },
  'tools=interleaved': {
    'litellm (messages)': 'One moment. | weather{} now{{"}city":"Oslo"} | tool_calls',
  },
  'tools=same-index': {
    'openai (Python)': 'One moment. | weathernow{"city":"Oslo"}{} | tool_calls',
    'litellm (chat)': 'One moment. | now{"city":"Oslo"}{} | tool_calls',
  },
  'tools=no-index': {
    'openai (Python)': 'TypeError',
    'litellm (chat)': 'One moment. | now{"city":"Oslo"}{} | tool_calls',
  },
  'tools=no-id': {
    'litellm (chat)': 'One moment. |  | tool_calls',
  },
  'tools=blank-id': {
    'litellm (chat)': 'One moment. |  | tool_calls',
  },
  'tools=repeat-id': {
    'openai (Python)':
      'One moment. | weatherweatherweatherweatherweatherweatherweatherweatherweatherweather{"city":"Oslo"} nownownow{} | tool_calls',
  },
  'tools=empty-args': {
    'openai (Python)': 'One moment. | weather{"city":"Oslo"} now | tool_calls',
  },
  'usage=last+null': {
    'anthropic (Python)': 'AttributeError',
    'litellm (messages)': 'MidStreamFallbackError',
    'litellm (gemini)': 'MidStreamFallbackError',
  },
  'usage=last+strings': {
    'litellm (messages)': 'MidStreamFallbackError',
    'litellm (gemini)': 'MidStreamFallbackError',
  },
  'null=content': {
    'anthropic (Python)': 'AttributeError',
  },
  'null=delta': {
    'openai (Python)': 'AttributeError',
  },
  'null=finish': {
    'openai (Python)': 'One moment. | weather{"city":"Oslo"} now{} | None',
    'litellm (chat)': ['MidStreamFallbackError', 'One moment. | weather{"city":"Oslo"} now{} | stop'],
  },
  'done=early': {
    'openai (Python)': 'One moment. | weather{"city":"Oslo"} now{} | None',
    'litellm (chat)': ['MidStreamFallbackError', 'One moment. | weather{"city":"Oslo"} now{} | stop'],
  },
  'finish=odd': {
    'openai (Python)': 'One moment. | weather{"city":"Oslo"} now{} | odd',
    'responses (Python)': 'One moment. | weather{"city":"Oslo"} now{} | odd',
    'anthropic (Python)': 'One moment. | weather{"city":"Oslo"} now{} | odd',
    'google-genai (Python)': 'One moment. | weather{"city":"Oslo"} now{} | odd',
    'litellm (chat)': [PLAIN['litellm (chat)']!, 'One moment. | weather{"city":"Oslo"} now{} | stop'],
    'litellm (messages)': [PLAIN['litellm (messages)']!, 'One moment. | weather{"city":"Oslo"} now{} | stop'],
  },
  'completed=bare': {
    'responses (Python)': ' |  | completed',
  },
  'error-200': {
    'openai (Python)': 'AssertionError',
    'responses (Python)': 'RuntimeError',
    'anthropic (Python)': 'AssertionError',
    'google-genai (Python)': 'ServerError',
    'litellm (chat)': ' |  | stop',
    'litellm (messages)': ' |  | stop',
    'litellm (gemini)': 'MidStreamFallbackError',
  },
}
