/** Scans of F5 AI Guardrails. */
import { jsonReply, object, RECORD } from 'svc/toolkit'
import { type GuardAnswer, type GuardCall, type GuardFacade, GuardProblem } from './facade.ts'
import { summaryOf } from './texts.ts'

/** Texts that are flagged besides those of the detectors, by direction, as the mock of NGINX Gateway Fabric does. */
const BLOCKED_TEXTS = { request: ['BLOCKME'], response: ['BLOCKME', 'BLOCKRESP'] } as const

async function answer({ body, examine }: GuardCall): Promise<GuardAnswer> {
  const { input, scanDirection: direction = 'request' } = body
  if (typeof input !== 'string') throw new GuardProblem('input must be a string')
  if (direction !== 'request' && direction !== 'response')
    throw new GuardProblem('scanDirection must be request or response')
  const { flags } = summaryOf(await examine([input]))
  const failed = [...flags, ...BLOCKED_TEXTS[direction].filter(text => input.includes(text))]
  if (failed.length === 0) return { decision: 'allow', reason: null, body: { result: { outcome: 'cleared' } } }
  const scannerResults = failed.map(flag => ({ outcome: 'failed', message: `found: ${flag}` }))
  const reason = `flagged: ${failed.join(', ')}`
  return { decision: 'block', reason, body: { result: { outcome: 'flagged', scannerResults } } }
}

export const F5: GuardFacade = {
  name: 'f5',
  title: 'F5 AI Guardrails',
  error: (_status, message) => ({ error: message }),
  routes: [
    {
      path: '/backend/v1/scans',
      summary: 'Scan a text',
      example: { name: 'Flagged', body: { input: 'a cheap bomb', scanDirection: 'request' } },
      reply: jsonReply(object({ result: RECORD }), 'F5Scan'),
      answer,
    },
  ],
}
