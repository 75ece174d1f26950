/** Formats a report for a terminal. */
import type { Issue } from '../document/issue.ts'
import { LIST_LIMIT, type Report } from './report.ts'

/** Errors, then warnings, then changes; ends with a line break. */
export function reportText(file: string, report: Report): string {
  const lines = [`${file}: ${report.deployable ? 'deployable' : 'not deployable'}`]
  if (report.summary) lines.push(`  ${summaryText(report.summary)}`)
  lines.push(...issues('error', report.errors), ...issues('warning', report.warnings))
  if (report.changes) {
    if (report.changes.unchanged) lines.push('  no changes')
    for (const change of report.changes.breaking)
      lines.push(`  breaking  ${change.operation}: ${change.message} (${change.code})`)
    for (const change of report.changes.dangerous ?? [])
      lines.push(`  dangerous  ${change.operation}: ${change.message} (${change.code})`)
    for (const change of report.changes.compatible)
      lines.push(`  compatible  ${change.operation}: ${change.message} (${change.code})`)
  }
  return `${lines.join('\n')}\n`
}

function summaryText(summary: NonNullable<Report['summary']>): string {
  if ('kind' in summary) {
    const { title, operations, types, fields, federated } = summary
    const name = title === '' ? '' : ` ${title}`
    return `GraphQL${federated ? ' subgraph' : ''}${name}: ${operations} operations, ${types} types, ${fields} fields`
  }
  const { openapi, title, api_version: version, operations, schemas, examples } = summary
  return `OpenAPI ${openapi}, ${title} ${version}: ${operations} operations, ${schemas} schemas, ${examples} examples`
}

function issues(kind: string, list: readonly Issue[]): string[] {
  return list
    .slice(0, LIST_LIMIT)
    .map(
      ({ code, at, message, line }) =>
        `  ${kind}  ${code}${line === undefined ? '' : ` line ${line}`}${at === null ? '' : ` ${at}`}: ${message}`,
    )
}
