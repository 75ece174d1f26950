/** Layout of a view: the header with actions, panels and lists of facts. */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** Level 1 heading and actions of a view; every view starts with it. */
export function ViewHeader({
  title,
  children,
  about,
}: {
  title: string
  children?: ComponentChildren
  about?: ComponentChildren
}) {
  return (
    <header class="view-header">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {about && <p class="about not-presented">{about}</p>}
      </div>
      {children && <div class="actions">{children}</div>}
    </header>
  )
}

/** A section with a title, which is also the name of its role `region`. */
export function Panel({
  title,
  actions,
  children,
  class: extra,
  hideTitle,
}: {
  title: string
  actions?: ComponentChildren
  children: ComponentChildren
  class?: string
  hideTitle?: boolean
}) {
  const id = useId()
  return (
    <section class={`panel ${extra ?? ''}`} aria-labelledby={id}>
      <header class={hideTitle && !actions ? 'off-screen' : 'panel-header'}>
        <h2 id={id} class={hideTitle ? 'off-screen' : ''}>
          {title}
        </h2>
        {actions && <div class="actions">{actions}</div>}
      </header>
      <div class="panel-body">{children}</div>
    </section>
  )
}

/** Names and values in two columns. */
export function Facts({
  items,
}: {
  items: readonly (readonly [name: string, value: ComponentChildren] | null | false)[]
}) {
  return (
    <dl class="facts">
      {items.map(
        item =>
          item && (
            <div key={item[0]}>
              <dt>{item[0]}</dt>
              <dd>{item[1] ?? <span class="quiet-text">none</span>}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
