/** A2A client: sends messages to agents in both protocol versions and bindings, and follows their tasks. */
import { useMemo, useState } from 'preact/hooks'
import { callJson } from '../lib/instance/api.ts'
import { handedToken } from '../lib/tokens/bearer.ts'
import { useLoad } from '../lib/shell/hooks.ts'
import { parseJson } from '../lib/protocol/http.ts'
import { randomId } from '../lib/protocol/ids.ts'
import { DEMO_CLIENT, postForm } from '../lib/tokens/oauth.ts'
import { route, setParams } from '../lib/shell/router.ts'
import { plugins } from '../lib/instance/status.ts'
import { activeGateway, settings } from '../lib/shell/storage.ts'
import { Badge } from '../ui/badge.tsx'
import { Composer } from '../ui/composer.tsx'
import { Checkbox, Select, TextArea, TextField } from '../ui/field.tsx'
import { Fold } from '../ui/fold.tsx'
import { Loading, Notice } from '../ui/notice.tsx'
import { Panel, ViewHeader } from '../ui/view.tsx'
import { CardTabs, loadCard, Skills } from './a2a/agent-card.tsx'
import { SinkPanel, sinkPath } from './a2a/sink.tsx'
import { TaskList } from './a2a/task-list.tsx'
import { TaskPanel } from './a2a/task-panel.tsx'
import type { Agent, Binding, Directory, AgentTarget, Part, Version } from './a2a/types.ts'
import { useTask } from './a2a/use-task.ts'
import { MessagesPanel } from './request/message-log.tsx'
import { TargetSelect } from './request/target.tsx'

export default function A2aView() {
  const directory = useLoad(signal => callJson<Directory>('a2a', { signal }), [plugins.value?.generation])
  return (
    <>
      <ViewHeader
        title="A2A client"
        about="A client for A2A agents, directly and through a gateway: send messages, follow tasks, and see every message with its HTTP headers."
      />
      {directory.error !== null && <Notice kind="bad">{directory.error}</Notice>}
      {directory.value === undefined ? directory.isLoading && <Loading /> : <Client agents={directory.value.agents} />}
    </>
  )
}

function Client({ agents }: { agents: readonly Agent[] }) {
  const { params } = route.value
  const agent = agents.find(({ id }) => id === params.get('agent')) ?? agents[0]!
  const version: Version = params.get('version') === '0.3' ? '0.3' : '1.0'
  const binding: Binding = params.get('binding') === 'HTTP+JSON' ? 'HTTP+JSON' : 'JSONRPC'
  const [gateway, setGateway] = useState(activeGateway)
  const [token, setToken] = useState(handedToken.peek() ?? '')
  const [isStreamed, setStreamed] = useState(true)
  const [returnsAtOnce, setReturnsAtOnce] = useState(false)
  const [isPushed, setPushed] = useState(false)
  const [sinkId] = useState(() => `console-${randomId().slice(0, 8)}`)
  const [text, setText] = useState('')
  const [data, setData] = useState('')
  const handle = useTask()
  const targetWith = (bearer: string): AgentTarget => ({
    agent: agent.id,
    version,
    binding,
    gateway,
    headers: bearer === '' ? [] : [{ name: 'Authorization', value: `Bearer ${bearer}` }],
  })
  // A new object only on changes, since each new one reloads the agent cards.
  const target = useMemo(() => targetWith(token), [agent.id, version, binding, gateway, token])
  const card = useLoad(signal => loadCard(target, '1.0', signal, true), [agent.id, gateway])
  const dataError = data.trim() !== '' && parseJson(data) === undefined ? 'This is not valid JSON.' : null

  function sendText(message: string, over = target): void {
    const parts: Part[] = [
      { text: message },
      ...(data.trim() === '' || dataError !== null ? [] : [{ data: parseJson(data) }]),
    ]
    void handle.send(over, parts, { isStreamed, returnsAtOnce, pushUrl: isPushed ? sinkPath(sinkId) : null })
    setText('')
  }

  async function authorize(): Promise<void> {
    const { status, body } = await postForm(
      'Token',
      '/oauth/token',
      { grant_type: 'client_credentials' },
      DEMO_CLIENT,
      gateway,
    )
    const got = (body as { access_token?: string }).access_token
    if (got === undefined) throw new Error(`The token endpoint returned status ${status}.`)
    setToken(got)
    sendText('Here is my token.', targetWith(got))
  }

  function choose(id: string): void {
    setParams({ agent: id })
    handle.clear()
  }

  return (
    <div class="a2a-split">
      <Panel title="Directory" class="a2a-directory">
        <ul aria-label="Agents">
          {agents.map(({ id, name, description, requiresAuth }) => (
            <li key={id}>
              <button type="button" aria-pressed={id === agent.id} onClick={() => choose(id)}>
                <span>
                  <strong>{name}</strong>
                  {requiresAuth && (
                    <>
                      {' '}
                      <Badge tone="warn">token</Badge>
                    </>
                  )}
                </span>
                <span class="quiet-text">{description}</span>
              </button>
            </li>
          ))}
        </ul>
        <Fold title="Cards">{() => <CardTabs key={agent.id} target={target} log={handle.log} />}</Fold>
        <Fold title="Tasks of this session">
          {() => (
            <TaskList
              key={`${agent.id} ${version}`}
              target={target}
              log={handle.log}
              onOpen={id => void handle.open(target, id)}
            />
          )}
        </Fold>
      </Panel>
      <div class="a2a-middle">
        <Panel title="Send a message">
          <div class="a2a-fields">
            <Select
              label="Agent"
              value={agent.id}
              onValue={choose}
              options={agents.map(({ id, name }) => ({ value: id, label: name }))}
            />
            <Select
              label="Version"
              value={version}
              onValue={value => setParams({ version: value })}
              options={['1.0', '0.3']}
            />
            <Select
              label="Binding"
              value={binding}
              onValue={value => setParams({ binding: value })}
              options={[
                { value: 'JSONRPC', label: 'JSON-RPC' },
                { value: 'HTTP+JSON', label: 'HTTP+JSON' },
              ]}
            />
            {settings.value.gateways.length > 0 && <TargetSelect gateway={gateway} onGateway={setGateway} />}
          </div>
          <div class="a2a-checks">
            <Checkbox label="Stream" checked={isStreamed} onChecked={setStreamed} />
            <Checkbox
              label="Return immediately"
              checked={returnsAtOnce}
              onChecked={setReturnsAtOnce}
              disabled={isStreamed}
            />
            <Checkbox label="Push to a sink" checked={isPushed} onChecked={setPushed} />
          </div>
          {card.error !== null && <Notice kind="warn">{card.error}</Notice>}
          {card.value && (
            // Once there is a task, it needs the space.
            <details class="a2a-more" open={handle.task.timeline.length === 0}>
              <summary>Skills</summary>
              <Skills card={card.value} onExample={setText} />
            </details>
          )}
          <Composer
            text={text}
            onText={setText}
            isRunning={handle.isRunning}
            onSend={message => sendText(message)}
            onStop={handle.stop}
          />
          <details class="a2a-more">
            <summary>Data and token{(data !== '' || token !== '') && ' (set)'}</summary>
            <div class="stack">
              <TextArea
                mono
                label="Data part (JSON)"
                rows={2}
                value={data}
                onValue={setData}
                error={dataError}
                hint="Sent along with the text."
              />
              <TextField
                mono
                label="Bearer token"
                value={token}
                onValue={value => setToken(value.trim())}
                hint="Leave empty to send none."
              />
            </div>
          </details>
        </Panel>
        <TaskPanel
          handle={handle}
          target={target}
          onToken={authorize}
          example={card.value?.skills?.find(({ examples = [] }) => examples.length > 0)?.examples?.[0] ?? 'Hello'}
        />
        {isPushed && <SinkPanel id={sinkId} />}
      </div>
      <MessagesPanel
        log={handle.log}
        empty="Messages in both directions appear here, newest first, with their HTTP status and headers."
      />
    </div>
  )
}
