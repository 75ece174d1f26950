/** What an import found and counted. */
import type { Position } from '../source/json-positions.ts'
import type { Conversion, ItemPath, Severity } from '../types.ts'
import { MAX_FINDINGS } from './bounds.ts'

export interface Finding {
  file: string
  line: number
  column: number
  /** Such as `mappings[0].request.customMatcher`; empty for the whole file. */
  at: string
  severity: Severity
  feature: string
  rule: string | null
  message: string
}

export interface Counts {
  found: number
  imported: number
  disabled: number
  changed: number
  lost: number
  skipped: number
}

export class Report {
  readonly counts = new Map<string, Counts>()
  readonly findings: Finding[] = []
  #isCut = false

  add(finding: Finding): void {
    if (this.findings.length < MAX_FINDINGS) this.findings.push(finding)
    else if (!this.#isCut) {
      this.#isCut = true
      this.findings.push({
        ...finding,
        severity: 'skipped',
        feature: '',
        message: `only ${MAX_FINDINGS} findings are listed`,
      })
    }
  }

  /** Counts what was converted: `changed` and `lost` are findings. */
  count(kind: string, { found, disabled, skipped }: Conversion, of: readonly Finding[]): void {
    const number = (severity: Severity): number => of.filter(finding => finding.severity === severity).length
    this.counts.set(kind, {
      found,
      imported: found - disabled - skipped,
      disabled,
      changed: number('changed'),
      lost: number('lost'),
      skipped,
    })
  }

  /** Counts rules that were converted and are not written; `disabled` of them had been counted as disabled. */
  leaveOut(kind: string, number: number, disabled: number): void {
    const counts = this.counts.get(kind)!
    counts.disabled -= disabled
    counts.skipped = Math.min(counts.skipped + number, counts.found - counts.disabled)
    counts.imported = counts.found - counts.disabled - counts.skipped
  }

  /** Whether something is not imported as it was, apart from what is only changed. */
  get hasLosses(): boolean {
    return this.findings.some(({ severity }) => severity !== 'changed')
  }

  /** `version`: of svc. */
  asJson(version: string): string {
    const document = {
      version: 1,
      tool: `svc ${version}`,
      counts: Object.fromEntries(this.counts),
      findings: this.findings.map(({ rule, ...finding }) => ({ ...finding, ...(rule === null ? {} : { rule }) })),
    }
    return `${JSON.stringify(document, null, 2)}\n`
  }

  /** One line for each kind. */
  summary(): string {
    return [...this.counts]
      .map(([kind, { found, imported, ...others }]) => {
        const rest = Object.entries(others).filter(([, number]) => number > 0)
        return `${kind}: ${imported} of ${found} imported${rest.map(([name, number]) => `, ${number} ${name}`).join('')}\n`
      })
      .join('')
  }
}

/** Control characters, which names and messages of files may have: a terminal would act on them. */
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu

/** A finding on one line. */
export function findingLine({ file, line, column, severity, at, message }: Finding): string {
  return `${file}:${line}:${column}: ${severity}: ${at === '' ? '' : `${at}: `}${message}`.replaceAll(CONTROLS, ' ')
}

/** `mappings[0].request`. */
export function shownPath(path: ItemPath): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${step.slice(0, 100)}`))
    .join('')
}

export function findingOf(
  file: string,
  { line, column }: Position,
  path: ItemPath,
  severity: Severity,
  message: string,
  { feature, rule }: { feature?: string; rule?: string } = {},
): Finding {
  const last = path.findLast(step => typeof step === 'string')
  return {
    file,
    line,
    column,
    at: shownPath(path),
    severity,
    feature: feature ?? String(last ?? ''),
    rule: rule ?? null,
    message,
  }
}
