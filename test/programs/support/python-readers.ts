/** What Python packages make of streams: text, calls and end, or the class of their error. */

export const SHAPES: readonly string[] = [
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

/** What differs from the plain reply, by shape and reader. */
export const DIFFERENT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'tools=interleaved': { 'litellm (messages)': 'One moment. | weather{} now{{"}city":"Oslo"} | tool_calls' },
  'tools=same-index': {
    'openai (Python)': 'One moment. | weathernow{"city":"Oslo"}{} | tool_calls',
    'litellm (chat)': 'One moment. | now{"city":"Oslo"}{} | tool_calls',
  },
  'tools=no-index': {
    'openai (Python)': 'TypeError',
    'litellm (chat)': 'One moment. | now{"city":"Oslo"}{} | tool_calls',
  },
  'tools=no-id': { 'litellm (chat)': 'One moment. |  | tool_calls' },
  'tools=blank-id': { 'litellm (chat)': 'One moment. |  | tool_calls' },
  'tools=repeat-id': {
    'openai (Python)':
      'One moment. | weatherweatherweatherweatherweatherweatherweatherweatherweatherweather{"city":"Oslo"} nownownow{} | tool_calls',
  },
  'tools=empty-args': { 'openai (Python)': 'One moment. | weather{"city":"Oslo"} now | tool_calls' },
  'usage=last+null': {
    'anthropic (Python)': 'AttributeError',
    'litellm (messages)': 'MidStreamFallbackError',
    'litellm (gemini)': 'MidStreamFallbackError',
  },
  'usage=last+strings': {
    'litellm (messages)': 'MidStreamFallbackError',
    'litellm (gemini)': 'MidStreamFallbackError',
  },
  'null=content': { 'anthropic (Python)': 'AttributeError' },
  'null=delta': { 'openai (Python)': 'AttributeError' },
  'null=finish': {
    'openai (Python)': 'One moment. | weather{"city":"Oslo"} now{} | None',
    'litellm (chat)': 'MidStreamFallbackError',
  },
  'done=early': {
    'openai (Python)': 'One moment. | weather{"city":"Oslo"} now{} | None',
    'litellm (chat)': 'MidStreamFallbackError',
  },
  'finish=odd': {
    'openai (Python)': 'One moment. | weather{"city":"Oslo"} now{} | odd',
    'responses (Python)': 'One moment. | weather{"city":"Oslo"} now{} | odd',
    'anthropic (Python)': 'One moment. | weather{"city":"Oslo"} now{} | odd',
    'google-genai (Python)': 'One moment. | weather{"city":"Oslo"} now{} | odd',
  },
  'completed=bare': { 'responses (Python)': ' |  | completed' },
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
