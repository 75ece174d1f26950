/** Tests, quantities and answers in words. */
import type { Json } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import type { Quantity } from '../../file/demo.ts'
import type { SentRequest } from '../sent.ts'

const MAX_SHOWN = 200

/** `status 200`, `header x-a contains "b"`. */
export function testWords(name: string, test: Json): string {
  const shown = name
    .replace(/^header\./, 'header ')
    .replace(/^json/, 'JSON ')
    .replace(/^ms$/, 'time in ms')
  if (!isRecord(test)) return `${shown} ${shownValue(test)}`
  const parts = Object.entries(test).map(([operator, operand]) => operatorWords(operator, operand as Json))
  return `${shown} ${parts.join(' and ')}`
}

const OPERATORS: Readonly<Record<string, string>> = {
  equals: '',
  gt: 'over',
  gte: 'at least',
  lt: 'below',
  lte: 'at most',
  in: 'one of',
  not: 'not',
  contains: 'with',
  starts_with: 'beginning with',
  ends_with: 'ending with',
  matches: 'like',
}

function operatorWords(operator: string, operand: Json): string {
  if (operator === 'exists') return operand === true ? 'present' : 'absent'
  return `${OPERATORS[operator] ?? operator} ${shownValue(operand)}`.trim()
}

export function shownValue(value: Json | undefined): string {
  if (value === undefined) return 'nothing'
  const text = typeof value === 'string' ? JSON.stringify(value) : JSON.stringify(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

export function quantityWords(quantity: Quantity): string {
  switch (quantity.how) {
    case 'every':
      return 'every response has'
    case 'some':
      return 'some response has'
    case 'none':
      return 'no response has'
    case 'count':
      return `${countWords(quantity.min, quantity.max)} response${quantity.max === 1 ? '' : 's'} with`
    case 'share':
      return `${percent(quantity.min)} to ${percent(quantity.max)} of the responses have`
  }
}

/** `exactly 3`, `at least 1`, `2 to 5`, `no`. */
export function countWords(min: number | null, max: number | null): string {
  if (max === 0) return 'no'
  if (min === max) return `exactly ${min}`
  if (max === null) return `at least ${min ?? 0}`
  return min === null || min === 0 ? `at most ${max}` : `${min} to ${max}`
}

export function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`
}

/** `6 responses: 5 with 200, 1 with 429`. */
export function responseWords(sent: readonly SentRequest[]): string {
  if (sent.length === 0) return 'no response'
  const words = new Map<string, number>()
  for (const { status, error, facts } of sent) {
    const { grpc_status: ofCall } = facts
    const word =
      typeof ofCall === 'number' && error === null
        ? `gRPC ${ofCall}`
        : error === null
          ? String(status ?? 'nothing')
          : status === null
            ? error
            : `${status} and then ${error}`
    words.set(word, (words.get(word) ?? 0) + 1)
  }
  const parts = [...words].map(([word, count]) =>
    words.size === 1 && count === sent.length ? word : `${count} with ${word}`,
  )
  return `${counted(sent.length, 'response')}: ${parts.join(', ')}`
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
