/** The report of a document check. */
import type { ComponentChildren } from 'preact'
import { formatBytes, formatMs, formatNumber } from '../../lib/protocol/http.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Change, Issue, Report } from './types.ts'

export interface ReportViewProps {
  report: Report
  /** Line of an issue in the current text; null: unknown. */
  lineOf?(issue: Issue): number | null
  onLine?(line: number): void
}

export function ReportView({ report, lineOf, onLine }: ReportViewProps) {
  const { deployable, errors, warnings, changes, summary, against, took_ms: ms } = report
  const issue = (item: Issue) => {
    const line = lineOf?.(item) ?? item.line ?? null
    return (
      <Line
        key={`${item.code} ${item.at} ${item.message}`}
        code={item.code}
        message={item.message}
        where={item.at}
        action={
          line !== null &&
          (onLine ? (
            <button type="button" class="mocks-line" onClick={() => onLine(line)}>
              line {line}
            </button>
          ) : (
            <span>line {line}</span>
          ))
        }
      />
    )
  }
  const change = (item: Change) => (
    <Line
      key={`${item.code} ${item.operation} ${item.message}`}
      code={item.code}
      message={item.message}
      where={item.operation}
    />
  )
  return (
    <div class="stack">
      {deployable ? (
        <Notice kind="good" title="Ready to deploy">
          {summary && textOf(summary)}. Checked in {formatMs(ms)}.
        </Notice>
      ) : (
        <Notice kind="bad" title="Cannot be deployed">
          {errors[0]?.message}
        </Notice>
      )}
      <List title="Errors" tone="bad" items={errors.map(issue)} />
      <List title="Warnings" tone="warn" items={warnings.map(issue)} />
      {changes !== null &&
        (changes.unchanged ? (
          <p class="quiet-text">The API has not changed since version {against}.</p>
        ) : (
          <>
            <List title={`Breaking changes since version ${against}`} tone="bad" items={changes.breaking.map(change)} />
            <List
              title={`Dangerous changes since version ${against}`}
              tone="warn"
              items={(changes.dangerous ?? []).map(change)}
            />
            <List
              title={`Compatible changes since version ${against}`}
              tone="good"
              items={changes.compatible.map(change)}
            />
          </>
        ))}
    </div>
  )
}

function textOf(summary: NonNullable<Report['summary']>): string {
  const { title, operations, bytes, types = 0, fields = 0 } = summary
  if (summary.kind === 'graphql')
    return `GraphQL schema: ${formatNumber(operations)} operations, ${formatNumber(types)} types, ${formatNumber(fields)} fields, ${formatBytes(bytes)}`
  return `${title} ${summary.api_version}, OpenAPI ${summary.openapi}: ${formatNumber(operations)} operations, ${formatNumber(summary.schemas)} schemas, ${formatNumber(summary.examples)} examples, ${formatBytes(bytes)}`
}

function List({ title, tone, items }: { title: string; tone: Tone; items: ComponentChildren[] }) {
  if (items.length === 0) return null
  return (
    <section class="mocks-issues">
      <h3>
        {title} <Badge tone={tone}>{items.length}</Badge>
      </h3>
      <ul>{items}</ul>
    </section>
  )
}

function Line({
  code,
  message,
  where,
  action,
}: {
  code: string
  message: string
  where: string | null
  action?: ComponentChildren
}) {
  return (
    <li>
      <span>
        <code>{code}</code> {message} {action}
      </span>
      {where !== null && <span class="mocks-where mono">{where}</span>}
    </li>
  )
}
