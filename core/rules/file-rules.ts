/** Rules of files: the section `rules` of `svc.yaml`, and those that plugins read. */
import { createHash } from 'node:crypto'
import { StepBudget } from '../contract/budgets.ts'
import { isRecord } from '../contract/record.ts'
import {
  asText,
  below,
  InputProblem,
  readOrProblem,
  rejectUnknownKeys,
  type Problem,
} from '../toolkit/input-problem.ts'
import type { JsonObject } from '../contract/json.ts'
import { isSessionName } from '../fields/session-prefix.ts'
import { readRule } from './rule.ts'
import type { GenerationRules, RuleEntry, RuleSource } from './rule-entry.ts'
import type { BodyFiles, FindBodyFile } from './body-files.ts'
import type { RuleBounds } from './bounds.ts'

/** A rule of a file, before it is read. */
export interface FileRule {
  value: unknown
  source: RuleSource
  /** Path of the rule in the file, for problems. */
  at: string
  file: string | null
  line: number | null
  /** `body_file` is relative to it; null: there is none. */
  folder: string | null
}

/** Adds the rules of files to a generation. A wrong rule is reported and left out. */
export function addFileRules(
  rules: readonly FileRule[],
  generation: GenerationRules,
  { bounds, bodies }: { bounds: RuleBounds; bodies: BodyFiles },
  report: (problem: Problem, rule: FileRule) => void,
): void {
  const now = Date.now()
  for (const rule of rules) {
    const read = readOrProblem(() => readFileRule(rule, generation, { bounds, findFile: bodies.in(rule.folder) }, now))
    if ('problem' in read) report(read.problem, rule)
    else generation.add([read.value])
  }
}

function readFileRule(
  { value, source, at, file, line }: FileRule,
  generation: GenerationRules,
  options: { bounds: RuleBounds; findFile: FindBodyFile | null },
  now: number,
): RuleEntry {
  const { session = null, ...given } = isRecord(value) ? (value as JsonObject) : {}
  if (session !== null && !(typeof session === 'string' && isSessionName(session)))
    throw new InputProblem(
      `${at}.session`,
      'expected the name of a session: 1 to 128 characters of A-Z a-z 0-9 . _ : -',
    )
  const checks = StepBudget.unlimited()
  const rule = readRule(isRecord(value) ? given : value, at, { ...generation.vocabulary, ...options, checks })
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

export interface SectionOptions {
  /** `svc.yaml`. */
  file: string | null
  folder: string
  lineOf(at: string): number | null
  /** Reads the rules of a file or folder. */
  readFiles(path: string, at: string): Promise<FileRule[]>
  report(problem: Problem): void
}

/** The rules of the section, and of the files that it names, in the order of the list. */
export async function rulesOfSection(
  section: unknown,
  { file, folder, lineOf, readFiles, report }: SectionOptions,
): Promise<FileRule[]> {
  if (section === undefined || section === null) return []
  if (!Array.isArray(section)) {
    report({ at: 'rules', details: 'expected a list of rules', remedy: 'write "- name: …" for each rule' })
    return []
  }
  const rules: FileRule[] = []
  for (const [index, value] of section.entries()) {
    const at = `rules[${index}]`
    if (isRecord(value) && value.file !== undefined) {
      const read = readOrProblem(() => readFileEntry(value as JsonObject, at))
      if ('problem' in read) report(read.problem)
      else rules.push(...(await readFiles(read.value, below(at, 'file'))))
    } else rules.push({ value, source: 'svc.yaml', at, file, line: lineOf(at), folder })
  }
  return rules
}

function readFileEntry(given: JsonObject, at: string): string {
  rejectUnknownKeys(given, ['file'], at)
  return asText(given.file, below(at, 'file'), 4096, 1)
}
