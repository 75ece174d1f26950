/** Notices (errors, warnings, information), empty states and loading indicators. */
import type { ComponentChildren } from 'preact'
import { Icon } from './icon.tsx'

/** Screen readers announce `bad` and `warn`. */
export function Notice({
  kind = 'info',
  title,
  children,
  actions,
}: {
  kind?: 'info' | 'good' | 'warn' | 'bad'
  title?: string
  children?: ComponentChildren
  actions?: ComponentChildren
}) {
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' || kind === 'warn' ? 'alert' : undefined}>
      <Icon name={kind === 'good' ? 'check' : kind === 'info' ? 'info' : 'warning'} />
      <div class="notice-text">
        {title && <strong>{title}</strong>}
        {children && <div>{children}</div>}
      </div>
      {actions && <div class="actions">{actions}</div>}
    </div>
  )
}

/** The empty state of a list: what will appear here, and how. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <div class="empty-text">{children}</div>}
    </div>
  )
}

export function Loading({ what = 'Loading' }: { what?: string }) {
  return (
    <p class="loading" role="status">
      <span class="spinner" aria-hidden="true" />
      {what}…
    </p>
  )
}
