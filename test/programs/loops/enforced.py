"""Conversations of the vendors' Python packages with a server that refuses what vendors refuse, and what they raise."""
import json
import sys

import anthropic
import openai
from google import genai
from google.genai import errors, types

base = sys.argv[1]
FAST = {'X-Svc-Tokens-Per-Second': '0'}
SCHEMA = {'type': 'object', 'properties': {'city': {'type': 'string'}}, 'required': ['city'], 'additionalProperties': False}
calls = 0


def get_weather(city: str) -> str:
    """Current weather of a city.

    Args:
        city: The city.
    """
    global calls
    calls += 1
    return f'sunny in {city}'


def chat():
    client = openai.OpenAI(base_url=f'{base}/openai/v1', api_key='k', max_retries=0, default_headers=FAST)
    tools = [{'type': 'function', 'function': {'name': 'get_weather', 'parameters': SCHEMA, 'strict': True}}]
    messages = [{'role': 'user', 'content': 'weather in Oslo?'}]
    for turn in range(2):
        reply = client.chat.completions.create(model='gpt-4.1', messages=messages, tools=tools, tool_choice='required')
        messages.append(reply.choices[0].message)
        for call in reply.choices[0].message.tool_calls:
            messages.append({'role': 'tool', 'tool_call_id': call.id, 'content': get_weather(**json.loads(call.function.arguments))})
        with client.chat.completions.stream(model='gpt-4.1', messages=messages, tools=tools) as stream:
            messages.append(stream.get_final_completion().choices[0].message)
        messages.append({'role': 'user', 'content': 'and in Rome?'})
    try:
        client.chat.completions.create(model='gpt-4.1', messages=[{'role': 'tool', 'tool_call_id': 'a', 'content': 'x'}])
    except openai.BadRequestError as error:
        return error.type, error.param


def responses():
    client = openai.OpenAI(base_url=f'{base}/openai/v1', api_key='k', max_retries=0, default_headers=FAST)
    tools = [{'type': 'function', 'name': 'get_weather', 'parameters': SCHEMA, 'strict': True}]
    items = [{'role': 'user', 'content': 'weather in Oslo?'}]
    common = {'model': 'gpt-5', 'store': False, 'include': ['reasoning.encrypted_content'], 'reasoning': {'effort': 'low'}, 'tools': tools}
    for turn in range(2):
        reply = client.responses.create(input=items, tool_choice='required', **common)
        items += reply.output
        for item in reply.output:
            if item.type == 'function_call':
                items.append({'type': 'function_call_output', 'call_id': item.call_id, 'output': get_weather(**json.loads(item.arguments))})
        with client.responses.stream(input=items, **common) as stream:
            items += stream.get_final_response().output
        items.append({'role': 'user', 'content': 'and in Rome?'})
    try:
        client.responses.create(input=[{'type': 'function_call_output', 'call_id': 'a', 'output': 'x'}], **common)
    except openai.BadRequestError as error:
        return error.type, error.param


def messages():
    client = anthropic.Anthropic(base_url=f'{base}/anthropic', api_key='k', max_retries=0, default_headers=FAST)
    for model, thinking in (('claude-opus-5-5', {'type': 'adaptive'}), ('claude-sonnet-4-5', {'type': 'enabled', 'budget_tokens': 2048})):
        talk = [{'role': 'user', 'content': 'call get_weather for Oslo'}]
        common = {'model': model, 'max_tokens': 4096, 'thinking': thinking, 'system': 'Be brief.', 'tools': [{'name': 'get_weather', 'input_schema': SCHEMA}]}
        for turn in range(3):
            with client.messages.stream(messages=talk, **common) as stream:
                content = stream.get_final_message().content
            talk.append({'role': 'assistant', 'content': content})
            results = [{'type': 'tool_result', 'tool_use_id': block.id, 'content': get_weather(**block.input)} for block in content if block.type == 'tool_use']
            talk.append({'role': 'user', 'content': results or 'call get_weather for Rome'})
        runner = client.beta.messages.tool_runner(model=model, max_tokens=4096, tools=[anthropic.beta_tool(get_weather)], messages=[{'role': 'user', 'content': 'call get_weather for Oslo'}], max_iterations=4)
        runner.until_done()
    try:
        client.messages.create(model='claude-sonnet-4-5', max_tokens=9, messages=[{'role': 'user', 'content': [{'type': 'tool_result', 'tool_use_id': 'a', 'content': 'x'}]}])
    except anthropic.BadRequestError as error:
        return error.body['error']['type'], None


def gemini():
    client = genai.Client(api_key='k', http_options={'base_url': f'{base}/gemini', 'headers': FAST})
    for model in ('gemini-3-pro-preview', 'gemini-2.5-flash'):
        chat = client.chats.create(model=model, config=types.GenerateContentConfig(tools=[get_weather]))
        chat.send_message('call get_weather for Oslo')
        chat.send_message('call get_weather for Rome')
        for chunk in chat.send_message_stream('thank you'):
            pass
    try:
        client.models.generate_content(model='gemini-3-pro-preview', contents=[{'role': 'system', 'parts': [{'text': 'x'}]}])
    except errors.ClientError as error:
        return error.status, None


raised = {read.__name__: read() for read in (chat, responses, messages, gemini)}
print(json.dumps({'raised': raised, 'calls': calls}))
