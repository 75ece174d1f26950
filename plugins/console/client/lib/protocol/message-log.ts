/** What went over a protocol's wire, message by message, with the HTTP around it. */
import { signal, type ReadonlySignal } from '@preact/signals'
import type { NameValue } from './http.ts'
import type { Sent } from '../instance/gateway.ts'

export interface LoggedMessage {
  /** Counts from 1. */
  number: number
  /** Milliseconds since 1970. */
  at: number
  /** Seen from this page. */
  direction: 'sent' | 'received'
  /** Method, or what it answers. */
  title: string
  /** It tells an error. */
  isError: boolean
  /** JSON; null: there was no body. */
  message: unknown
  http: LoggedHttp
}

export interface LoggedHttp {
  method: string
  url: string
  /** Null: not answered yet. */
  status: number | null
  headers: readonly NameValue[]
}

const MAX_MESSAGES = 500

export interface MessageLog {
  messages: ReadonlySignal<readonly LoggedMessage[]>
  sent(request: { method: string; url: string; headers: readonly NameValue[] }, title: string, message: unknown): void
  received(sent: Sent, title: string, message: unknown, isError?: boolean): void
  clear(): void
}

/** A log of its own; the oldest messages go first. */
export function createMessageLog(): MessageLog {
  const messages = signal<readonly LoggedMessage[]>([])
  let number = 0
  const add = (entry: Omit<LoggedMessage, 'number' | 'at'>) => {
    messages.value = [...messages.peek().slice(1 - MAX_MESSAGES), { ...entry, number: ++number, at: Date.now() }]
  }
  return {
    messages,
    sent: ({ method, url, headers }, title, message) =>
      add({ direction: 'sent', title, message, isError: false, http: { method, url, status: null, headers } }),
    received: ({ method, url, answer }, title, message, isError = false) =>
      add({
        direction: 'received',
        title,
        message,
        isError,
        http: { method, url, status: answer?.status ?? null, headers: answer?.headers ?? [] },
      }),
    clear: () => {
      messages.value = []
    },
  }
}
