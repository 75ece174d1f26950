/** The request of an exchange as conditions and references see it. */
import { conditionSubject, type ConditionSubject } from 'svc/toolkit'
import type { Json } from '../document/json.ts'
import type { Exchange } from './engine.ts'

export function subjectOf(exchange: Exchange): ConditionSubject {
  const { incoming, context, path } = exchange
  const facts = {
    method: incoming.method,
    url: incoming.url,
    rawHeaders: incoming.rawHeaders,
    session: context.session,
    clientIp: context.clientIp,
    scheme: context.scheme,
    body: incoming.bytes,
    json: incoming.json,
    captures: path,
    own: (key: string, name: string): Json | undefined => factOf(exchange, key, name),
  }
  return conditionSubject(facts, context.steps)
}

function factOf({ memory, count, violations }: Exchange, key: string, name: string): Json | undefined {
  if (key === 'count') return count
  if (key === 'violations') return violations.length
  return Object.hasOwn(memory.state, name) ? memory.state[name] : undefined
}
