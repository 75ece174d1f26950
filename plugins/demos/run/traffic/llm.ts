/** Traffic to models. */
import type { LlmTraffic } from '../../file/demo.ts'
import { sessionKey } from '../context.ts'
import type { SentRequest } from '../sent.ts'
import { LLM_FORMS, readLlmAnswer } from './llm-forms.ts'
import { sendRequest, type SendOptions } from './request.ts'

export async function sendLlm(traffic: LlmTraffic, options: SendOptions): Promise<SentRequest[]> {
  const { format, headers, stream } = traffic
  const form = LLM_FORMS[format]
  const { context } = options
  const route = context.target.routes?.paths[format === 'openai' || format === 'responses' ? 'llm' : `llm.${format}`]
  const hasCredential = context.target.fields.some(([name]) => name.toLowerCase() === 'authorization')
  const sent = await sendRequest(
    {
      method: 'POST',
      path: `${route?.path ?? ''}${form.path(traffic)}`,
      headers: { 'content-type': 'application/json', ...form.headers, ...headers },
      body: JSON.stringify(form.body(traffic)),
      bearer: traffic.bearer ?? (hasCredential ? null : sessionKey(context)),
      readsEvents: stream && format !== 'ollama',
    },
    options,
  )
  return [{ ...sent, ...readLlmAnswer(format, sent) }]
}
