/** A log of protocol messages with their HTTP requests and responses. */
import { signal, type ReadonlySignal } from '@preact/signals'
import type { NameValue } from './http.ts'
import type { Sent } from '../instance/gateway.ts'

export interface LoggedMessage {
  /** Counts from 1. */
  number: number
  /** Milliseconds since 1970. */
  at: number
  /** From the perspective of this page. */
  direction: 'sent' | 'received'
  /** Method of the message, or of the request that it responds to. */
  title: string
  /** The message is an error. */
  isError: boolean
  /** JSON; null: no body. */
  message: unknown
  http: LoggedHttp
}

export interface LoggedHttp {
  method: string
  url: string
  /** Null: no response yet. */
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

/** Creates a log that drops the oldest messages when full. */
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
    received: ({ method, url, response }, title, message, isError = false) =>
      add({
        direction: 'received',
        title,
        message,
        isError,
        http: { method, url, status: response?.status ?? null, headers: response?.headers ?? [] },
      }),
    clear: () => {
      messages.value = []
    },
  }
}
