/** The webhook of agentgateway's prompt guards. */
import type { Json } from 'svc/plugin'
import { isRecord, jsonReply, object, RECORD } from 'svc/toolkit'
import { type GuardAnswer, type GuardCall, type GuardFacade, GuardProblem, type GuardRoute } from './facade.ts'
import { mapChoices, mapMessages, masking, textsOf, summaryOf } from './texts.ts'

const REPLY = jsonReply(object({ action: RECORD }), 'AgentgatewayGuard')
const MAPS = { messages: mapMessages, choices: mapChoices }
const REJECTED_STATUS = 403

async function answer({ body, examine, output }: GuardCall, member: keyof typeof MAPS): Promise<GuardAnswer> {
  const given = isRecord(body.body) ? (body.body[member] as Json | undefined) : undefined
  if (!Array.isArray(given)) throw new GuardProblem(`expected body.${member}, a list`)
  const map = MAPS[member]
  const findings = await examine(textsOf(replace => map(given, replace)))
  const { flags, types, reason } = summaryOf(findings)
  if (flags.length > 0) {
    const rejected = { body: `The ${member} were rejected by svc: ${reason}`, status_code: REJECTED_STATUS, reason }
    return { decision: 'block', reason, body: { action: rejected } }
  }
  if (types.length === 0) return { decision: 'allow', reason, body: { action: { reason: 'nothing found' } } }
  const masked = { [member]: map(given, masking(findings))! }
  output.takeJson(masked)
  return { decision: 'redact', reason, body: { action: { body: masked, reason } } }
}

const routeOf = (path: string, member: keyof typeof MAPS, summary: string, example: Json): GuardRoute => ({
  path,
  summary,
  example: { name: 'Personal data', body: { body: { [member]: [example] } } },
  reply: REPLY,
  answer: call => answer(call, member),
})

export const AGENTGATEWAY: GuardFacade = {
  name: 'agentgateway',
  title: "agentgateway's webhook",
  error: (_status, message) => ({ error: message }),
  routes: [
    routeOf('/request', 'messages', 'Check the messages of a prompt', {
      role: 'user',
      content: 'Mail post@example.org',
    }),
    routeOf('/response', 'choices', 'Check the choices of a completion', {
      message: { role: 'assistant', content: 'Mail post@example.org' },
    }),
  ],
}
