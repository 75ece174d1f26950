/** A tool: its form, the call with progress, and the result with a check against the output schema. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { explain } from '../../lib/instance/api.ts'
import { isRecord } from '../../../../../core/contract/record.ts'
import { formatMs, parseJson } from '../../lib/protocol/http.ts'
import { emptyValue } from '../../lib/protocol/schema-form.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { Empty, Loading, Notice } from '../../ui/notice.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Panel } from '../../ui/view.tsx'
import type { McpClient } from './client.ts'
import { ContentView } from './content.tsx'
import { schemaProblems } from './output-schema.ts'
import type { Tool, ToolResult } from './types.ts'

interface Progress {
  progress: number
  total?: number
  message?: string
}

export function ToolView({
  client,
  tool,
  linkedArguments,
}: {
  client: McpClient
  tool: Tool
  /** JSON object from a link. The button then has the focus, so that one key press calls the tool. */
  linkedArguments: string | null
}) {
  const form = useRef<HTMLFormElement>(null)
  const [args, setArgs] = useState<unknown>(() => {
    const linked = linkedArguments === null ? undefined : parseJson(linkedArguments)
    return isRecord(linked) ? linked : (emptyValue(tool.inputSchema) ?? {})
  })
  useEffect(() => {
    if (linkedArguments !== null) form.current!.querySelector<HTMLElement>('button[type=submit]')!.focus()
  }, [])
  const { result, error, progress, ms, isRunning, run, cancel } = useToolCall(client, tool)
  return (
    <>
      <Panel title={tool.title ?? tool.name} class="mcp-item">
        <p class="mono quiet-text">{tool.name}</p>
        {tool.description && <p>{tool.description}</p>}
        <Hints annotations={tool.annotations} />
        <form
          ref={form}
          class="stack"
          onSubmit={event => {
            event.preventDefault()
            void run(args)
          }}
        >
          <SchemaForm schema={tool.inputSchema} value={args} onValue={setArgs} label="Arguments" />
          <div class="actions">
            <Button kind="primary" type="submit" icon="play" busy={isRunning}>
              Call tool
            </Button>
            {isRunning && (
              <Button icon="stop" onClick={cancel}>
                Cancel
              </Button>
            )}
          </div>
        </form>
      </Panel>
      <Panel title="Result">
        {isRunning && <ProgressView progress={progress} />}
        {error !== null && <Notice kind="bad">{error}</Notice>}
        {result === null && error === null && !isRunning && (
          <Empty title="Not called yet">Fill in the arguments and call the tool.</Empty>
        )}
        {result !== null && <ResultView result={result} tool={tool} ms={ms} />}
      </Panel>
    </>
  )
}

function useToolCall(client: McpClient, tool: Tool) {
  const [state, setState] = useState<{
    result: ToolResult | null
    error: string | null
    progress: Progress | null
    ms: number
    isRunning: boolean
  }>({ result: null, error: null, progress: null, ms: 0, isRunning: false })
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  async function run(args: unknown): Promise<void> {
    const controller = new AbortController()
    running.current = controller
    const startedAt = performance.now()
    const change = (changes: Partial<typeof state>) => {
      if (running.current === controller) setState(old => ({ ...old, ...changes, ms: performance.now() - startedAt }))
    }
    change({ result: null, error: null, progress: null, isRunning: true })
    try {
      const result = await client.call<ToolResult>(
        'tools/call',
        { name: tool.name, arguments: args },
        { signal: controller.signal, inputSchema: tool.inputSchema, onProgress: progress => change({ progress }) },
      )
      change({ result, isRunning: false })
    } catch (error) {
      change({ error: explain(error), isRunning: false })
    }
  }
  return { ...state, run, cancel: () => running.current?.abort() }
}

function ProgressView({ progress }: { progress: Progress | null }) {
  if (progress === null) return <Loading what="Waiting for the result" />
  const { progress: done, total, message } = progress
  return (
    <div class="mcp-progress">
      <progress aria-label="Progress" {...(total === undefined ? {} : { max: total, value: done })} />
      <p class="quiet-text">
        {message ?? ''} {done}
        {total !== undefined && ` of ${total}`}
      </p>
    </div>
  )
}

function ResultView({
  result: { content = [], structuredContent, isError },
  tool,
  ms,
}: {
  result: ToolResult
  tool: Tool
  ms: number
}) {
  return (
    <>
      <p class="actions">
        <Badge tone={isError ? 'bad' : 'good'}>{isError ? 'tool error' : 'done'}</Badge>
        <span class="quiet-text">{formatMs(ms)}</span>
      </p>
      {content.map((block, at) => (
        <ContentView key={at} content={block} at={at} />
      ))}
      {structuredContent !== undefined && (
        <section class="stack">
          <h3>Structured content</h3>
          {tool.outputSchema && <SchemaCheck value={structuredContent} schema={tool.outputSchema} />}
          <JsonTree value={structuredContent} depth={3} />
        </section>
      )}
      {structuredContent === undefined && tool.outputSchema && !isError && (
        <Notice kind="warn">The tool has an output schema but returned no structured content.</Notice>
      )}
    </>
  )
}

function SchemaCheck({ value, schema }: { value: unknown; schema: object }) {
  const problems = schemaProblems(value, schema)
  return problems.length === 0 ? (
    <Notice kind="good">The result matches the tool's output schema.</Notice>
  ) : (
    <Notice kind="bad" title="The result does not match the tool's output schema">
      {problems.map(problem => (
        <p key={problem}>{problem}</p>
      ))}
    </Notice>
  )
}

const HINTS = {
  readOnlyHint: 'read-only',
  destructiveHint: 'destructive',
  idempotentHint: 'idempotent',
  openWorldHint: 'open world',
} as const

function Hints({ annotations = {} }: { annotations: Tool['annotations'] }) {
  const given = Object.entries(HINTS).filter(([name]) => annotations[name] === true)
  return given.length === 0 ? null : (
    <p class="actions">
      {given.map(([name, text]) => (
        <Badge key={name} tone={name === 'destructiveHint' ? 'warn' : 'neutral'} title={name}>
          {text}
        </Badge>
      ))}
    </p>
  )
}
