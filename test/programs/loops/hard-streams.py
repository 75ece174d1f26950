"""What Python readers make of hard streams: official packages, and the parser of LiteLLM."""
import json, sys, asyncio, os
base = sys.argv[1]
os.environ['LITELLM_LOCAL_MODEL_COST_MAP'] = 'True'
REPLY = json.dumps({'blocks': [{'text': 'One moment.'}, {'tool_call': {'name': 'weather', 'args': {'city': 'Oslo'}, 'id': 'call_a'}}, {'tool_call': {'name': 'now', 'args': {}, 'id': 'call_b'}}]})
def headers(shape): return {'X-Svc-Tokens-Per-Second': '0', 'X-Svc-Stream-Shape': shape, 'X-Svc-Reply-Json': REPLY}
MESSAGES = [{'role': 'user', 'content': 'hello'}]
def joined(calls): return ' '.join(f'{name}{args}' for name, args in calls)

def openai_chat(shape):
    import openai
    client = openai.OpenAI(base_url=f'{base}/openai/v1', api_key='k', max_retries=0, default_headers=headers(shape))
    with client.chat.completions.stream(model='svc-gpt', messages=MESSAGES) as stream:
        choice = stream.get_final_completion().choices[0]
    return choice.message.content, joined((c.function.name, c.function.arguments) for c in choice.message.tool_calls or []), choice.finish_reason

def openai_responses(shape):
    import openai
    client = openai.OpenAI(base_url=f'{base}/openai/v1', api_key='k', max_retries=0, default_headers=headers(shape))
    with client.responses.stream(model='svc-gpt', input='hello') as stream:
        reply = stream.get_final_response()
    return reply.output_text, joined((i.name, i.arguments) for i in reply.output if i.type == 'function_call'), reply.status

def anthropic_messages(shape):
    import anthropic
    client = anthropic.Anthropic(base_url=f'{base}/anthropic', api_key='k', max_retries=0, default_headers=headers(shape))
    with client.messages.stream(model='svc-claude', max_tokens=99, messages=MESSAGES) as stream:
        message = stream.get_final_message()
    return ''.join(b.text for b in message.content if b.type == 'text'), joined((b.name, json.dumps(b.input, separators=(',', ':'))) for b in message.content if b.type == 'tool_use'), message.stop_reason

def google_genai(shape):
    from google import genai
    client = genai.Client(api_key='k', http_options={'base_url': f'{base}/gemini', 'headers': headers(shape)})
    text, calls, end = '', [], None
    for chunk in client.models.generate_content_stream(model='svc-gemini', contents='hello'):
        candidate = (chunk.candidates or [None])[0]
        for part in (candidate.content.parts if candidate and candidate.content else None) or []:
            text += part.text or ''
            if part.function_call: calls.append((part.function_call.name, json.dumps(part.function_call.args, separators=(',', ':'))))
        end = (candidate.finish_reason.value if candidate and candidate.finish_reason else None) or end
    return text, joined(calls), end

def litellm_of(model, path):
    def read(shape):
        import litellm
        litellm.suppress_debug_info = True
        chunks = list(litellm.completion(model=model, messages=MESSAGES, stream=True, api_base=f'{base}{path}', api_key='k', extra_headers=headers(shape), num_retries=0, timeout=20))
        whole = litellm.stream_chunk_builder(chunks, messages=MESSAGES)
        choice = whole.choices[0]
        return choice.message.content, joined((c.function.name, c.function.arguments) for c in choice.message.tool_calls or []), choice.finish_reason
    return read

readers = {
    'openai (Python)': openai_chat,
    'responses (Python)': openai_responses,
    'anthropic (Python)': anthropic_messages,
    'google-genai (Python)': google_genai,
    'litellm (chat)': litellm_of('openai/svc-gpt', '/openai/v1'),
    'litellm (messages)': litellm_of('anthropic/svc-claude', '/anthropic'),
    'litellm (gemini)': litellm_of('gemini/svc-gemini', '/gemini/v1beta/models/svc-gemini'),
}
shapes = json.loads(sys.argv[2])
wanted = sys.argv[3:] or list(readers)
results = {}
for name in wanted:
    for shape in shapes:
        try:
            text, calls, end = readers[name](shape)
            made = f'{text} | {calls} | {end}'
        except Exception as error:
            made = type(error).__name__
        results.setdefault(name, {})[shape] = made
print(json.dumps(results))
