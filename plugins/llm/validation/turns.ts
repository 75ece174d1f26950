/** Messages as turns: consecutive messages of one role are one. */
import { isRecord } from 'svc/toolkit'

/** The messages of a turn, with their places among all. */
export interface Turn {
  role: unknown
  messages: readonly { message: Readonly<Record<string, unknown>>; index: number }[]
}

export function turnsOf(messages: readonly unknown[]): Turn[] {
  const turns: { role: unknown; messages: { message: Readonly<Record<string, unknown>>; index: number }[] }[] = []
  messages.forEach((message, index) => {
    if (!isRecord(message)) return
    const last = turns.at(-1)
    if (last !== undefined && last.role === message.role) last.messages.push({ message, index })
    else turns.push({ role: message.role, messages: [{ message, index }] })
  })
  return turns
}
