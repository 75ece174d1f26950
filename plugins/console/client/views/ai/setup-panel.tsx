/** The setup panel next to the conversation. */
import type { ComponentChildren } from 'preact'
import { Badge } from '../../ui/badge.tsx'
import { Editor } from '../../ui/editor.tsx'
import { Checkbox, Select, TextArea, TextField } from '../../ui/field.tsx'
import { HeaderEditor } from '../../ui/header-list.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'
import { readTools, svcHeaders, type AiIndex, type Setup } from './setup.ts'

export interface SetupPanelProps {
  index: AiIndex
  setup: Setup
  onSetup(changes: Partial<Setup>): void
  /** Base path of the provider, shown as the default; null: no field for it. */
  basePath: string | null
  /** Above everything else. */
  children?: ComponentChildren
}

export function SetupPanel({ index, setup, onSetup, basePath, children }: SetupPanelProps) {
  const field =
    <K extends keyof Setup>(name: K) =>
    (value: Setup[K]) =>
      onSetup({ [name]: value })
  const toolsError = setup.offersTools ? readTools(setup.tools).error : null
  return (
    <Panel title="Setup" class="ai-setup">
      {children}
      <TextArea label="System message" rows={2} value={setup.system} onValue={field('system')} />
      <Checkbox label="Stream" checked={setup.stream} onChecked={field('stream')} />
      <div class="ai-pair">
        <TextField
          type="number"
          label="Temperature"
          min={0}
          max={2}
          step={0.1}
          placeholder="Not set"
          value={setup.temperature}
          onValue={field('temperature')}
        />
        <TextField
          type="number"
          label="Max tokens"
          min={0}
          placeholder="Not set"
          value={setup.maxTokens}
          onValue={field('maxTokens')}
        />
      </div>
      <Section title="Tools" isOn={setup.offersTools}>
        <Checkbox
          label="Offer tools"
          checked={setup.offersTools}
          onChecked={field('offersTools')}
          hint="A JSON array of tools with name, description and parameters. The console adds what each wire format needs."
        />
        {setup.offersTools && (
          <Editor label="Tools" language="json" value={setup.tools} onValue={field('tools')} minLines={8} />
        )}
        {toolsError && <Notice kind="warn">{toolsError}</Notice>}
      </Section>
      <Section title="Structured output" isOn={setup.responseFormat !== 'text'}>
        <Select
          label="Response format"
          value={setup.responseFormat}
          onValue={value => onSetup({ responseFormat: value as Setup['responseFormat'] })}
          options={[
            { value: 'text', label: 'Text' },
            { value: 'json', label: 'JSON' },
            { value: 'schema', label: 'JSON with a schema' },
          ]}
        />
        {setup.responseFormat === 'schema' && (
          <Editor label="Response schema" language="json" value={setup.schema} onValue={field('schema')} minLines={8} />
        )}
      </Section>
      <Section title="Mode and faults" isOn={svcHeaders({ ...setup, headers: [] }).length > 0}>
        <Select
          label="Mode"
          value={setup.mode}
          onValue={field('mode')}
          options={[{ value: '', label: 'Default of the model' }, ...index.modes]}
        />
        <div class="ai-pair">
          <Select
            label="Fault"
            value={setup.fault}
            onValue={field('fault')}
            options={[{ value: '', label: 'None' }, ...index.fail_kinds]}
          />
          <TextField
            type="number"
            label="Percent"
            min={0}
            max={100}
            placeholder="100"
            value={setup.faultPercent}
            onValue={field('faultPercent')}
            disabled={setup.fault === ''}
          />
        </div>
        <div class="ai-pair">
          <TextField
            type="number"
            label="Latency (ms)"
            min={0}
            placeholder="0"
            value={setup.latencyMs}
            onValue={field('latencyMs')}
          />
          <TextField
            type="number"
            label="First token (ms)"
            min={0}
            placeholder="0"
            value={setup.ttftMs}
            onValue={field('ttftMs')}
          />
        </div>
        <TextField
          type="number"
          label="Tokens per second"
          min={0}
          placeholder="100"
          value={setup.tokensPerSecond}
          onValue={field('tokensPerSecond')}
        />
      </Section>
      <Section title="Credential and headers" isOn={setup.headers.length > 0 || setup.basePath !== ''}>
        <TextField
          mono
          label="API key"
          value={setup.key}
          onValue={field('key')}
          hint="Sent in the header that the vendor uses. Leave empty to send none."
        />
        {basePath !== null && (
          <TextField
            mono
            label="Base path"
            placeholder={basePath}
            value={setup.basePath}
            onValue={field('basePath')}
            hint="Set this if your gateway uses another path."
          />
        )}
        <div class="field">
          <span class="label">Headers</span>
          <HeaderEditor headers={setup.headers} onHeaders={field('headers')} />
        </div>
      </Section>
    </Panel>
  )
}

/** A collapsed section, marked if something in it is set. */
function Section({ title, isOn, children }: { title: string; isOn: boolean; children: ComponentChildren }) {
  return (
    <details class="ai-section">
      <summary>
        {title}
        {isOn && <Badge tone="accent">set</Badge>}
      </summary>
      <div class="stack">{children}</div>
    </details>
  )
}
