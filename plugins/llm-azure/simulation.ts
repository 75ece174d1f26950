/** The object with which tests of Azure-Samples' gateways ask for statuses and delays, in the first message, as a directive. */
import { isRecord, isTextNestedWithin } from 'svc/toolkit'

const MAX_DEPTH = 20
const MAX_WAIT_MS = 3_600_000

/**
 * The body with the object as a directive: `{"simulation":{"default":{"response_status_code":429}}}`, or JSON text of it, is the text
 * `[svc fail=429]`. The values of the host come before those of `default`, each alone. Other bodies stay as they are.
 */
export function withSimulation(body: Record<string, unknown>, host: () => string): Record<string, unknown> {
  const { messages } = body
  const first: unknown = Array.isArray(messages) ? messages[0] : undefined
  if (!isRecord(first)) return body
  const simulation = simulationOf(first.content)
  if (simulation === null) return body
  const ofHost = simulation[host()]
  const valueOf = (name: string): number | undefined =>
    [ofHost, simulation.default]
      .map(entry => (isRecord(entry) ? entry[name] : undefined))
      .find((value): value is number => typeof value === 'number' && Number.isSafeInteger(value))
  const status = valueOf('response_status_code') ?? 200
  const waitMs = Math.min(valueOf('wait_time_ms') ?? 0, MAX_WAIT_MS)
  const items = [
    ...(status >= 400 && status <= 599 ? [`fail=${status}`] : []),
    ...(waitMs > 0 ? [`latency=${waitMs}`] : []),
  ]
  const text = JSON.stringify({ simulation })
  const content = items.length === 0 ? text : `[svc ${items.join('; ')}]\n${text}`
  return { ...body, messages: [{ ...first, content }, ...(messages as unknown[]).slice(1)] }
}

function simulationOf(content: unknown): Record<string, unknown> | null {
  const value = typeof content === 'string' ? parsed(content) : content
  return isRecord(value) && isRecord(value.simulation) ? value.simulation : null
}

function parsed(text: string): unknown {
  if (!/^\s*\{\s*"simulation"/.test(text) || !isTextNestedWithin(text, MAX_DEPTH)) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
