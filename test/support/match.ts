/** Matches and requests for unit tests. */
import { StepBudget } from '../../core/contract/budgets.ts'
import { forPlugin } from '../../core/contract/plugin.ts'
import type { MatchProtocol } from '../../core/toolkit/toolkit.ts'
import { readMatch, type Match, type MatchOptions } from '../../core/match/match.ts'
import { readOrProblem, type Problem } from '../../core/toolkit/input-problem.ts'
import { ProtocolRegistry } from '../../core/match/protocols.ts'
import { MatchSubject, type SubjectFacts } from '../../core/match/subject.ts'
import { StepRegistry } from '../../core/rules/step-registry.ts'
import { DeclaredFaults } from '../../core/rules/declared-faults.ts'
import type { RuleVocabulary } from '../../core/rules/vocabulary.ts'

export interface RequestSketch extends Partial<Omit<SubjectFacts, 'body'>> {
  headers?: Record<string, string | string[]>
  body?: string | Buffer
}

/** A request; `GET /` without headers by default. */
export function subjectOf(
  { headers = {}, body = '', ...facts }: RequestSketch = {},
  steps = StepBudget.unlimited(),
): MatchSubject {
  const rawHeaders = Object.entries(headers).flatMap(([name, value]) => [value].flat().flatMap(line => [name, line]))
  return new MatchSubject(
    {
      method: 'GET',
      url: '/',
      rawHeaders,
      session: null,
      clientIp: '127.0.0.1',
      scheme: 'http',
      ...facts,
      body: Buffer.from(body as string),
    },
    steps,
  )
}

export function registryOf(...protocols: MatchProtocol[]): ProtocolRegistry {
  const registry = new ProtocolRegistry()
  for (const protocol of protocols) registry[forPlugin]('test').register(protocol)
  return registry
}

/** Reads a match, or returns the problem. */
export function tryMatch(
  value: unknown,
  {
    protocols = registryOf(),
    isFilter = false,
    maxTests = 50,
    isSeen = () => true,
    checks = StepBudget.unlimited(),
  }: Partial<MatchOptions> = {},
): { value: Match } | { problem: Problem } {
  return readOrProblem(() => readMatch(value, 'match', { protocols, isFilter, maxTests, isSeen, checks }))
}

/** Reads a match that is valid. */
export function matchOf(value: unknown, options: Parameters<typeof tryMatch>[1] = {}): Match {
  const read = tryMatch(value, options)
  if ('problem' in read) throw new Error(`${read.problem.at}: ${read.problem.details}`)
  return read.value
}

/** What rules can say without plugins. */
export function vocabularyOf(protocols = registryOf()): RuleVocabulary {
  return { protocols, faults: new DeclaredFaults(), steps: new StepRegistry(), isSeen: () => true }
}
