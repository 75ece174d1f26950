/** Converts files by their kinds, and collects what is written. */
import type { Json, JsonObject } from 'svc/plugin'
import { trimCharacters } from 'svc/toolkit'
import type { Conversion, ConvertedRules, ImportKind, Importing, WrittenFile } from '../types.ts'
import { MAX_HOSTS, MAX_RULES, MAX_UPSTREAMS } from './bounds.ts'
import { readBodyFile, type ReadFile } from './read-files.ts'
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
  const ruleNames = new Set<string>()
  const upstreamNames = new Set<string>()
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
      readBody: readBodyFile,
    }
    const conversion = await kind.convert(own, importing)
    report.count(kind.id, conversion, found)
    conversions.push(conversion)
  }
  return {
    rules: withinBounds(
      conversions.flatMap(({ rules = [] }) => rules),
      report,
    ),
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

function withinBounds(all: readonly ConvertedRules[], report: Report): ConvertedRules[] {
  const count = all.reduce((sum, { rules }) => sum + rules.length, 0)
  if (count <= MAX_RULES) return [...all]
  let free = MAX_RULES
  const first = all.find(({ rules }) => (free -= rules.length) < 0)!
  report.add(
    findingOf(
      first.file.name,
      { line: 1, column: 1 },
      [],
      'skipped',
      `at most ${MAX_RULES} rules are written; ${count - MAX_RULES} are left out`,
    ),
  )
  let left = MAX_RULES
  return all.map(({ file, rules }) => {
    const kept = rules.slice(0, left)
    left -= kept.length
    return { file, rules: kept }
  })
}

function uniqueName(used: Set<string>, candidates: readonly (Json | undefined)[]): string {
  const texts = candidates.map(text =>
    typeof text === 'string'
      ? trimCharacters(text.slice(0, 4 * MAX_NAME).replaceAll(/[^A-Za-z0-9._-]+/g, '-'), '-').slice(0, MAX_NAME)
      : '',
  )
  return unique(used, texts.find(text => text !== '') ?? 'rule', MAX_NAME)
}

function uniqueUpstream(used: Set<string>, host: string): string {
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

function unique(used: Set<string>, wanted: string, max: number): string {
  let name = wanted
  for (let number = 2; used.has(name); number++) {
    const end = `-${number}`
    name = wanted.slice(0, max - end.length) + end
  }
  used.add(name)
  return name
}
