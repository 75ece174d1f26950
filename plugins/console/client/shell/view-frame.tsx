/** Loads and shows a view, or an error if it cannot be loaded or crashes. */
import { Component, type ComponentChildren, type ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { explain } from '../lib/instance/api.ts'
import { Button } from '../ui/button.tsx'
import { Loading, Notice } from '../ui/notice.tsx'
import { ViewHeader } from '../ui/view.tsx'
import type { View } from '../views/index.ts'

export function ViewFrame({ view }: { view: View }) {
  const [Content, setContent] = useState<ComponentType | null>(null)
  const [error, setError] = useState<string | null>(null)
  const frame = useRef<HTMLDivElement>(null)

  useEffect(() => {
    let isGone = false
    view.load().then(
      loaded => {
        if (!isGone) setContent(() => loaded.default)
      },
      (reason: unknown) => {
        if (!isGone) setError(explain(reason))
      },
    )
    return () => {
      isGone = true
    }
  }, [view])

  // After a click in the navigation, the focus moves to the heading of the view.
  useEffect(() => {
    if (Content !== null && document.activeElement?.closest('nav'))
      frame.current?.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
  }, [Content])

  return (
    <div ref={frame} class={`view-content view-${view.key}`}>
      {error !== null && (
        <>
          <ViewHeader title={view.title} />
          <Failure message={`The view could not be loaded: ${error}`} />
        </>
      )}
      {error === null && Content === null && (
        <>
          <ViewHeader title={view.title} />
          <Loading />
        </>
      )}
      {Content !== null && (
        <Boundary title={view.title}>
          <Content />
        </Boundary>
      )}
    </div>
  )
}

function Failure({ message }: { message: string }) {
  return (
    <Notice
      kind="bad"
      title="This view crashed"
      actions={<Button onClick={() => location.reload()}>Reload the page</Button>}
    >
      {message}
    </Notice>
  )
}

class Boundary extends Component<{ title: string; children: ComponentChildren }, { message: string | null }> {
  override state = { message: null as string | null }

  override componentDidCatch(error: unknown): void {
    console.error(error)
    this.setState({ message: explain(error) })
  }

  override render() {
    return this.state.message === null ? (
      this.props.children
    ) : (
      <>
        <ViewHeader title={this.props.title} />
        <Failure message={this.state.message} />
      </>
    )
  }
}
