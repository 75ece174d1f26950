/** The wires of the product. */
import { AZURE, CHAT } from './chat.ts'
import { COHERE } from './cohere.ts'
import { CONVERSE } from './converse.ts'
import { GEMINI } from './gemini.ts'
import { MESSAGES } from './messages.ts'
import { RESPONSES } from './responses.ts'
import type { Operation, Wire } from './types.ts'

/** In the order in which pairs are shown. */
export const WIRES: readonly Wire[] = [CHAT, RESPONSES, MESSAGES, GEMINI, CONVERSE, AZURE, COHERE]

/** The wire whose route this path is; null: none of them. */
export function wireOf(
  wires: readonly Wire[],
  method: string,
  path: string,
): { wire: Wire; operation: Operation } | null {
  for (const wire of wires) {
    const operation = wire.matches(method, path)
    if (operation !== null) return { wire, operation }
  }
  return null
}
