/** Converts files by their kinds, and collects what is written. */
import type { Json, JsonObject } from 'svc/plugin'
import { trimCharacters } from 'svc/toolkit'
import type { Conversion, ConvertedRules, ImportKind, Importing, WrittenFile } from '../types.ts'
import { BodyFiles } from './body-files.ts'
import { MAX_HOSTS, MAX_RULES, MAX_UPSTREAMS } from './bounds.ts'
import type { ReadFile } from './read-files.ts'
import { findingOf, Report, type Finding } from './report.ts'

const MAX_NAME = 64
const MAX_UPSTREAM_NAME = 32

export interface Imported {
  rules: readonly ConvertedRules[]
  proxy: readonly JsonObject[]
  mocks: readonly JsonObject[]
  providers: readonly JsonObject[]
  notify: readonly string[]
  files: readonly WrittenFile[]
}

/** Converts all files. `only`: the kind of all of them. */
export async function convertFiles(
  files: readonly ReadFile[],
  kinds: readonly ImportKind[],
  only: ImportKind | null,
  report: Report,
): Promise<Imported> {
  const byKind = new Map<ImportKind, ReadFile[]>()
  for (const file of files) {
    const kind = (only === null ? kinds : [only]).find(one => one.recognizes(file))
    if (kind === undefined)
      report.add(
        findingOf(
          file.name,
          { line: 1, column: 1 },
          [],
          'skipped',
          only === null ? unknownFormat(file) : `this is not a file of ${only.id}`,
        ),
      )
    else byKind.set(kind, [...(byKind.get(kind) ?? []), file])
  }
  const ruleNames: UsedNames = new Map()
  const upstreamNames: UsedNames = new Map()
  const bodies = new BodyFiles()
  const conversions: Conversion[] = []
  for (const kind of kinds) {
    const own = byKind.get(kind)
    if (own === undefined) continue
    const found: Finding[] = []
    const importing: Importing = {
      find(file, path, severity, message, details) {
        const finding = findingOf(file.name, (file as ReadFile).locate(path), path, severity, message, details)
        found.push(finding)
        report.add(finding)
      },
      ruleName: (...candidates) => uniqueName(ruleNames, candidates),
      upstreamName: host => (upstreamNames.size < MAX_UPSTREAMS ? uniqueUpstream(upstreamNames, host) : undefined),
      readBody: (file, path, folders) => bodies.read(file, path, folders),
      bodyName: (name, content) => bodies.nameOf(name, content),
    }
    const conversion = await kind.convert(own, importing)
    report.count(kind.id, conversion, found)
    conversions.push({ ...conversion, rules: withinBounds(kind.id, conversion.rules ?? [], conversions, report) })
  }
  return {
    rules: conversions.flatMap(({ rules = [] }) => rules),
    proxy: conversions.flatMap(({ proxy = [] }) => proxy),
    mocks: conversions.flatMap(({ mocks = [] }) => mocks),
    providers: conversions.flatMap(({ providers = [] }) => providers),
    notify: hostsWithin(conversions, files, report),
    files: conversions.flatMap(({ files: written = [] }) => written),
  }
}

/** What is known about documents that no kind recognizes. */
function unknownFormat({ document }: ReadFile): string {
  if (typeof document === 'object' && document !== null && 'swagger' in document)
    return 'Swagger 2.0 is not imported; convert it to OpenAPI 3'
  return 'no tool is known that writes such files'
}

/** Hosts to which rules send requests; those that are too many get none. */
function hostsWithin(conversions: readonly Conversion[], [first]: readonly ReadFile[], report: Report): string[] {
  const hosts = [...new Set(conversions.flatMap(({ notify = [] }) => notify))]
  if (hosts.length > MAX_HOSTS && first !== undefined)
    report.add(
      findingOf(
        first.name,
        { line: 1, column: 1 },
        [],
        'lost',
        `requests are sent to ${MAX_HOSTS} hosts; ${hosts.length - MAX_HOSTS} get none`,
      ),
    )
  return hosts.slice(0, MAX_HOSTS)
}

/** The rules of a kind that still are among those that can be written, after those of `before`. */
function withinBounds(
  kind: string,
  all: readonly ConvertedRules[],
  before: readonly Conversion[],
  report: Report,
): ConvertedRules[] {
  const numberOf = (converted: readonly ConvertedRules[]): number =>
    converted.reduce((sum, { rules }) => sum + rules.length, 0)
  let left = MAX_RULES - before.reduce((sum, { rules = [] }) => sum + numberOf(rules), 0)
  const count = numberOf(all)
  if (count <= left) return [...all]
  let free = left
  const first = all.find(({ rules }) => (free -= rules.length) < 0)!
  report.add(
    findingOf(
      first.file.name,
      { line: 1, column: 1 },
      [],
      'skipped',
      `at most ${MAX_RULES} rules are written; ${count - left} are left out`,
    ),
  )
  const leftOut: JsonObject[] = []
  const kept = all.map(({ file, rules }) => {
    const some = rules.slice(0, left)
    left -= some.length
    leftOut.push(...rules.slice(some.length))
    return { file, rules: some }
  })
  report.leaveOut(kind, leftOut.length, leftOut.filter(({ enabled }) => enabled === false).length)
  return kept
}

function uniqueName(used: UsedNames, candidates: readonly (Json | undefined)[]): string {
  const texts = candidates.map(text =>
    typeof text === 'string'
      ? trimCharacters(text.slice(0, 4 * MAX_NAME).replaceAll(/[^A-Za-z0-9._-]+/g, '-'), '-').slice(0, MAX_NAME)
      : '',
  )
  return unique(used, texts.find(text => text !== '') ?? 'rule', MAX_NAME)
}

function uniqueUpstream(used: UsedNames, host: string): string {
  const name = trimCharacters(
    host
      .slice(0, 300)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-'),
    '-',
  )
  const wanted = /^[a-z]/.test(name) ? name : `host-${name}`
  return unique(used, wanted.slice(0, MAX_UPSTREAM_NAME), MAX_UPSTREAM_NAME)
}

/** Names with the number that the next of the same name is tried with: all rules of a file can have one name. */
type UsedNames = Map<string, number>

function unique(used: UsedNames, wanted: string, max: number): string {
  let name = wanted
  let number = used.get(wanted) ?? 2
  for (; used.has(name); number++) {
    const end = `-${number}`
    name = wanted.slice(0, max - end.length) + end
  }
  used.set(wanted, number)
  if (name !== wanted) used.set(name, 2)
  return name
}
