/** The expectation `responses`: tests of what came back to the client. */
import type { Quantity, ResponsesTest, Selection } from '../../file/demo.ts'
import { valuesOf, type SentRequest } from '../sent.ts'
import type { Outcome, StepEvidence } from './result.ts'
import { createChecker } from './tests.ts'
import { counted, percent, quantityWords, responseWords, shownValue, testWords } from './words.ts'

export function selected(sent: readonly SentRequest[], { of, variant, fromMs, toMs }: Selection): SentRequest[] {
  return sent.filter(
    one =>
      (of === null || one.traffic === of) &&
      (variant === null || one.variant === variant) &&
      (fromMs === null || one.atMs >= fromMs) &&
      (toMs === null || one.atMs < toMs),
  )
}

export function selectionWords({ of, variant, fromMs, toMs }: Selection): string {
  return [
    of === null ? '' : ` of the ${ordinal(of)} traffic`,
    variant === null ? '' : ` of the ${ordinal(variant)} variant`,
    fromMs === null && toMs === null
      ? ''
      : ` sent ${(fromMs ?? 0) / 1000} to ${toMs === null ? 'the end' : toMs / 1000} s`,
  ].join('')
}

function ordinal(number: number): string {
  return ['first', 'second', 'third'][number - 1] ?? `${number}th`
}

export function judgeResponses({ selection, tests, quantity }: ResponsesTest, { sent }: StepEvidence): Outcome {
  const among = selected(sent, selection)
  const checker = createChecker()
  const named = Object.entries(tests)
  const failing = (one: SentRequest): string[] =>
    named.filter(([name, test]) => !checker.holds(name, test, valuesOf(one, name))).map(([name]) => name)
  const results = among.map(one => ({ one, failed: failing(one) }))
  const holding = results.filter(({ failed }) => failed.length === 0)
  const words = named.length === 0 ? 'come back' : named.map(([name, test]) => testWords(name, test)).join(' and ')
  const expected = `${quantityWords(quantity)} ${words}${selectionWords(selection)}`
  const share = among.length === 0 ? 0 : holding.length / among.length
  const isSeen = isEnough(quantity, holding.length, among.length)
  const numbers = quantity.how === 'share' ? `; ${holding.length} of ${among.length} (${percent(share)})` : ''
  const details = isSeen && quantity.how !== 'count' ? '' : detailsOf(results, named.length)
  return { verdict: isSeen ? 'seen' : 'not-seen', expected, got: `${responseWords(among)}${numbers}${details}` }
}

function isEnough(quantity: Quantity, holding: number, all: number): boolean {
  switch (quantity.how) {
    case 'every':
      return all > 0 && holding === all
    case 'some':
      return holding > 0
    case 'none':
      return all > 0 && holding === 0
    case 'count':
      return holding >= quantity.min && (quantity.max === null || holding <= quantity.max)
    case 'share':
      return all > 0 && holding / all >= quantity.min && holding / all <= quantity.max
  }
}

interface Judged {
  one: SentRequest
  failed: string[]
}

/** How many passed, and the first values that did not. */
function detailsOf(results: readonly Judged[], tests: number): string {
  if (tests === 0 || results.length === 0) return ''
  const holding = results.filter(({ failed }) => failed.length === 0).length
  const first = results.find(({ failed }) => failed.length > 0)
  const value = first?.failed
    .filter(name => name !== 'status' && name !== 'error')
    .slice(0, 3)
    .map(name => {
      const values = valuesOf(first.one, name)
      return `${name.replace(/^header\./, 'header ')} is ${values.length === 0 ? 'absent' : shownValue(values.length === 1 ? values[0] : values)}`
    })
  const shown = value === undefined || value.length === 0 ? '' : `; ${value.join(', ')}`
  return results.length === 1 ? shown : `; ${counted(holding, 'response')} as expected${shown}`
}
