"""The vendors' Python packages with their own default addresses: nothing is set but variables of the environment."""
import json

import anthropic
import openai
from google import genai

CONTENT = "hello"
MESSAGES = [{"role": "user", "content": CONTENT}]

client = openai.OpenAI(max_retries=0)
chat = client.chat.completions.create(model="svc-gpt", messages=MESSAGES).choices[0].message.content
stream = client.chat.completions.create(model="svc-gpt", messages=MESSAGES, stream=True)
streamed = "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)
message = anthropic.Anthropic(max_retries=0).messages.create(model="svc-claude", max_tokens=100, messages=MESSAGES)
# A client that nothing refers to is closed.
gemini = genai.Client()
generated = gemini.models.generate_content(model="gemini-2.5-flash", contents=CONTENT)
print(json.dumps({"chat": chat, "streamed": streamed, "message": message.content[0].text, "generated": generated.text}))
