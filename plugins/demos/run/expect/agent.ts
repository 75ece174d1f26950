/** The expectation `agent`: whether a conversation came to its end, and what a gateway lost of it, on both ways. */
import type { Json } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import type { ProbeConversations, SeenRequest } from '../../../probe/types.ts'
import type { AgentTest } from '../../file/demo.ts'
import { fieldValues, type SentRequest } from '../sent.ts'
import type { AgentLoss, AgentResult } from '../traffic/agent-result.ts'
import { arrivalsSince, type Entry } from './arrivals.ts'
import { selected, selectionWords } from './responses.ts'
import type { Outcome, StepEvidence } from './result.ts'
import { createChecker } from './tests.ts'
import { counted, shownValue, testWords } from './words.ts'

const MAX_SHOWN = 4

export async function judgeAgent(test: AgentTest, evidence: StepEvidence): Promise<Outcome> {
  const { selection, completed, turns, error, lost } = test
  const among = selected(evidence.sent, selection)
  const expected = `every agent ${expectedWords(test)}${selectionWords(selection)}`
  const results = among.flatMap(({ facts }) => (isRecord(facts.agent) ? [facts.agent as unknown as AgentResult] : []))
  if (results.length === 0) return { verdict: 'not-seen', expected, got: 'no agent' }
  const entries = lost === null ? [] : await arrivalsSince({ match: { method: 'POST' } }, evidence)
  const arrived = lost === null ? [] : await lostOnTheWay(among, entries, evidence)
  const all = [...results.flatMap(one => one.lost), ...arrived]
  const checker = createChecker()
  const isSeen =
    results.every(
      one =>
        (completed === null || one.completed === completed) &&
        (turns === null || checker.holds('turns', turns, [one.turns])) &&
        (error === null || checker.holds('error', error, [one.error ?? 'none'])),
    ) &&
    (lost === null || isLostAsExpected(all, lost))
  return {
    verdict: isSeen ? 'seen' : 'not-seen',
    expected,
    got: `${results.map(resultWords).join('; ')}${lossWords(all)}`,
    entries: entries.map(({ id }) => id),
  }
}

/** Each was expected, and all that was expected is there. */
function isLostAsExpected(found: readonly AgentLoss[], lost: readonly string[]): boolean {
  return (
    found.every(({ what }) => lost.some(text => what.includes(text))) &&
    lost.every(text => found.some(({ what }) => what.includes(text)))
  )
}

function expectedWords({ completed, turns, error, lost }: AgentTest): string {
  return [
    completed === null ? '' : completed ? 'comes to its end' : 'does not come to its end',
    turns === null ? '' : `has ${testWords('turns', turns)}`,
    error === null ? '' : `has ${testWords('error', error)}`,
    lost === null ? '' : lost.length === 0 ? 'loses nothing' : `loses ${lost.join(', ')}`,
  ]
    .filter(text => text !== '')
    .join(' and ')
}

function resultWords({ turns, completed, error }: AgentResult): string {
  return `${counted(turns, 'turn')}, ${completed ? 'completed' : `ended with ${error ?? 'nothing'}`}`
}

function lossWords(lost: readonly AgentLoss[]): string {
  if (lost.length === 0) return ''
  const shown = lost.slice(0, MAX_SHOWN).map(({ turn, what }) => `turn ${turn}: ${what}`)
  return `; lost ${shown.join('; ')}${lost.length > MAX_SHOWN ? `; and ${lost.length - MAX_SHOWN} more` : ''}`
}

/** What of the turns did not arrive as it was sent. */
async function lostOnTheWay(
  sent: readonly SentRequest[],
  entries: readonly Entry[],
  { context }: StepEvidence,
): Promise<AgentLoss[]> {
  const conversations = await context.conversations()
  const whole = entries.filter(({ body_truncated: isCut }) => !isCut)
  if (conversations === undefined) return []
  return sent.flatMap(one => {
    const { turn } = one.facts
    if (typeof turn !== 'number' || one.sentBody === null) return []
    // A gateway may ask twice, or somebody else: the arrival that is most like it is meant.
    const losses = whole.flatMap(entry => {
      const found = lossesOf(one, entry, conversations)
      return found === null ? [] : [found]
    })
    if (losses.length === 0 && whole.length < entries.length)
      return [{ turn, what: 'the end of a body, which is larger than what svc keeps' }]
    const [least = []] = losses.toSorted((a, b) => a.length - b.length)
    return least.map(what => ({ turn, what }))
  })
}

/** Null: the arrival is not a request to a model. */
function lossesOf(sent: SentRequest, entry: Entry, conversations: ProbeConversations): string[] | null {
  const body = sent.sentBody ?? ''
  const arrivedBody = entry.body_decoded ?? entry.body ?? ''
  const before: SeenRequest = { method: 'POST', target: sent.target, fields: sent.fields, body }
  const fields = entry.headers.map(({ name, value }) => [name, value] as const)
  const seen = conversations.compare(before, { method: 'POST', target: entry.uri, fields, body: arrivedBody })
  if (seen === null) return null
  const differences = seen.differences
    .filter(({ at, kind }) => at !== '/model' && (kind === 'lost' || kind === 'changed'))
    .map(
      ({ at, kind, sent: was }) =>
        `${at} ${kind}${was === undefined ? '' : ` (${shownValue(was as Json).slice(0, 80)})`}`,
    )
  // Members and headers have these names in this format alone.
  return seen.client === seen.upstream
    ? [...differences, ...lostMembers(body, arrivedBody), ...lostValues(sent, fields)]
    : differences
}

function lostMembers(sent: string, arrived: string): string[] {
  const kept = membersOf(arrived)
  return membersOf(sent)
    .filter(name => !kept.includes(name))
    .map(name => `the member ${name}`)
}

function membersOf(body: string): string[] {
  try {
    const value: unknown = JSON.parse(body)
    return isRecord(value) ? Object.keys(value) : []
  } catch {
    return []
  }
}

/** Values of lists in headers. */
function lostValues({ facts, fields }: SentRequest, arrived: readonly (readonly [string, string])[]): string[] {
  const names = Array.isArray(facts.keeps) ? facts.keeps.map(String) : []
  return names.flatMap(name => {
    const kept = new Set(listIn(arrived, name))
    return listIn(fields, name)
      .filter(value => !kept.has(value))
      .map(value => `${name}: ${value}`)
  })
}

function listIn(fields: readonly (readonly [string, string])[], name: string): string[] {
  return fieldValues(fields, name).flatMap(value => value.split(',').map(one => one.trim()))
}
