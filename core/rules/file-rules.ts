/** Rules of files: the section `rules` of `svc.yaml`, and those that plugins read. */
import { createHash } from 'node:crypto'
import { StepBudget } from '../contract/budgets.ts'
import { isRecord } from '../contract/record.ts'
import { InputProblem, readOrProblem, type Problem } from '../toolkit/input-problem.ts'
import type { JsonObject } from '../contract/json.ts'
import { isSessionName } from '../fields/session-prefix.ts'
import { readRule } from './rule.ts'
import type { GenerationRules, RuleEntry, RuleSource } from './rule-entry.ts'
import type { RuleBounds } from './bounds.ts'

/** A rule of a file, before it is read. */
export interface FileRule {
  value: unknown
  source: RuleSource
  /** Path of the rule in the file, for problems. */
  at: string
  file: string | null
  line: number | null
}

/** Adds the rules of files to a generation. A wrong rule is reported and left out. */
export function addFileRules(
  rules: readonly FileRule[],
  generation: GenerationRules,
  bounds: RuleBounds,
  report: (problem: Problem, rule: FileRule) => void,
): void {
  const now = Date.now()
  for (const rule of rules) {
    const read = readOrProblem(() => readFileRule(rule, generation, bounds, now))
    if ('problem' in read) report(read.problem, rule)
    else generation.add([read.value])
  }
}

function readFileRule(
  { value, source, at, file, line }: FileRule,
  generation: GenerationRules,
  bounds: RuleBounds,
  now: number,
): RuleEntry {
  const { session = null, ...given } = isRecord(value) ? (value as JsonObject) : {}
  if (session !== null && !(typeof session === 'string' && isSessionName(session)))
    throw new InputProblem(
      `${at}.session`,
      'expected the name of a session: 1 to 128 characters of A-Z a-z 0-9 . _ : -',
    )
  const checks = StepBudget.unlimited()
  const rule = readRule(isRecord(value) ? given : value, at, { ...generation.vocabulary, bounds, checks })
  if (generation.find(rule.name, session) !== undefined)
    throw new InputProblem(`${at}.name`, `the name ${rule.name} occurs twice`)
  return {
    // The counters of a rule go on as long as its text stays the same.
    id: `${source}:${createHash('sha256')
      .update(JSON.stringify([file, session, given]))
      .digest('hex')
      .slice(0, 32)}`,
    rule,
    match: rule.match,
    session,
    source,
    file,
    line,
    createdAt: now,
    expiresAt: rule.expiresInSecs === null ? null : now + rule.expiresInSecs * 1000,
  }
}

/** The rules of the section; a problem if it is not a list. */
export function rulesOfSection(
  section: unknown,
  { file, lineOf }: { file: string | null; lineOf(at: string): number | null },
): { rules: FileRule[]; problem: Problem | null } {
  if (section === undefined || section === null) return { rules: [], problem: null }
  if (!Array.isArray(section))
    return {
      rules: [],
      problem: { at: 'rules', details: 'expected a list of rules', remedy: 'write "- name: …" for each rule' },
    }
  return {
    problem: null,
    rules: section.map((value, index) => {
      const at = `rules[${index}]`
      return { value, source: 'svc.yaml', at, file, line: lineOf(at) }
    }),
  }
}
