/** The expectation `events`: what streams brought, and when. */
import type { Json } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import type { EventsTest } from '../../file/demo.ts'
import type { SentRequest, StreamEvent } from '../sent.ts'
import type { Outcome, StepEvidence } from './result.ts'
import { selected, selectionWords } from './responses.ts'
import { createChecker } from './tests.ts'
import { quantile, responseWords, shownValue, testWords } from './words.ts'

export function judgeEvents({ selection, tests }: EventsTest, { sent, context, startedAtMs }: StepEvidence): Outcome {
  const stalled: Stalled = (one, fromMs, toMs) => {
    const beganMs = startedAtMs + one.atMs
    return context.load?.stalledMs(beganMs + fromMs, beganMs + toMs) ?? 0
  }
  const among = selected(sent, selection)
  const named = Object.entries(tests)
  const expected = `every stream has ${named.map(([name, test]) => eventWords(name, test)).join(' and ')}${selectionWords(selection)}`
  if (among.length === 0) return { verdict: 'not-seen', expected, got: 'no response' }
  const checker = createChecker()
  const valueIn = (name: string, one: SentRequest): Json | undefined => valueOf(name, one, stalled)
  const checks = (name: string, test: Json, one: SentRequest): boolean => {
    const value = valueIn(name, one)
    return checker.holds(name, test, value === undefined ? [] : [value])
  }
  const failed = among
    .map(one => ({
      one,
      names: named.filter(([name, test]) => !checks(name, test, one)).map(([name]) => name),
    }))
    .find(({ names }) => names.length > 0)
  const shown = failed?.one ?? among[0]!
  const values = named.map(([name]) => `${name} ${shownValue(valueIn(name, shown))}`).join(', ')
  return {
    verdict: failed === undefined ? 'seen' : 'not-seen',
    expected,
    got: `${responseWords(among)}; ${shown.events.length} events, ${values}`,
  }
}

function eventWords(name: string, test: Json): string {
  return name === 'order' ? 'events in order' : testWords(name, test)
}

/** Milliseconds between two times since a request was sent in which this process did not run. */
type Stalled = (sent: SentRequest, fromMs: number, toMs: number) => number

function valueOf(name: string, sent: SentRequest, stalled: Stalled): Json | undefined {
  switch (name) {
    case 'count':
      return sent.events.length
    case 'first_ms':
      return firstOf(sent, stalled)
    case 'lag_ms':
      return lagOf(sent, stalled)
    case 'order':
      return isInOrder(sent.events)
    default:
      return sent.facts.text ?? sent.events.map(({ data }) => data).join('')
  }
}

/**
 * When the first event came; of models, the first with text. Time in which this process had to wait for the processor does not
 * count.
 */
function firstOf(sent: SentRequest, stalled: Stalled): number | undefined {
  const { first_text_ms: ofText } = sent.facts
  const atMs = typeof ofText === 'number' ? ofText : sent.events[0]?.atMs
  if (atMs === undefined) return undefined
  return Math.round(Math.max(0, atMs - stalled(sent, 0, atMs)))
}

/**
 * How much later the last 95 % of the events came than their pace says. The events of a stream are written at a steady pace: the
 * one that came earliest against it says when the stream began, even if the clocks of the two sides differ. Time in which this
 * process had to wait for the processor does not count.
 */
function lagOf(sent: SentRequest, stalled: Stalled): number | undefined {
  const { events } = sent
  const written = events.map(writtenMs)
  if (events.length < 2 || written.some(ms => ms === undefined)) return undefined
  const offsets = events.map(({ atMs }, index) => atMs - written[index]!)
  const least = Math.min(...offsets)
  return Math.round(
    quantile(
      offsets.map((offset, index) => {
        const { atMs } = events[index]!
        const lag = offset - least
        return Math.max(0, lag - stalled(sent, atMs - lag, atMs))
      }),
      0.95,
    ),
  )
}

/** When svc wrote an event, as its data says. */
function writtenMs({ data }: StreamEvent): number | undefined {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    return undefined
  }
  if (!isRecord(value)) return undefined
  const time = value.timestamp ?? value.time ?? value.sent_at ?? value.now
  const ms = typeof time === 'string' ? Date.parse(time) : time
  return typeof ms === 'number' && !Number.isNaN(ms) ? ms : undefined
}

/** By a number in the data; events without one are in order. */
function isInOrder(events: readonly StreamEvent[]): boolean {
  const numbers = events.flatMap(({ data }) => {
    const found = /"(?:id|index|seq|number|event)":\s*"?(\d{1,12})/.exec(data)
    return found === null ? [] : [Number(found[1])]
  })
  return numbers.every((number, index) => index === 0 || number > numbers[index - 1]!)
}
