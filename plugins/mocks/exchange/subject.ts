/** The request of a call as conditions and references see it. */
import { conditionSubject, type ConditionSubject } from 'svc/toolkit'
import type { Json } from '../document/json.ts'
import type { OperationCall } from './engine.ts'

export function subjectOf(call: OperationCall): ConditionSubject {
  const { incoming, context, path } = call
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
    own: (key: string, name: string): Json | undefined => factOf(call, key, name),
  }
  return conditionSubject(facts, context.steps)
}

function factOf({ memory, count, violations }: OperationCall, key: string, name: string): Json | undefined {
  if (key === 'count') return count
  if (key === 'violations') return violations.length
  return Object.hasOwn(memory.state, name) ? memory.state[name] : undefined
}
