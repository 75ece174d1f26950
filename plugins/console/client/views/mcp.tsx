/** MCP inspector: connects to MCP servers, calls their tools, and shows every message with its HTTP headers. */
import { useEffect, useState } from 'preact/hooks'
import { callJson } from '../lib/instance/api.ts'
import { useLoad } from '../lib/shell/hooks.ts'
import { instanceBase } from '../lib/instance/page.ts'
import { toCurl } from '../lib/protocol/curl.ts'
import type { NameValue } from '../lib/protocol/http.ts'
import type { Catalog } from '../lib/shell/places.ts'
import { route, setParams } from '../lib/shell/router.ts'
import { plugins } from '../lib/instance/status.ts'
import { activeGateway } from '../lib/shell/storage.ts'
import { Badge } from '../ui/badge.tsx'
import { TryCommand } from '../ui/code.tsx'
import { Empty, Loading, Notice } from '../ui/notice.tsx'
import { ViewHeader } from '../ui/view.tsx'
import { MessagesPanel } from './request/message-log.tsx'
import { OfferList, type Choice, type Kind } from './mcp/offer-list.tsx'
import { ConnectForm, type OwnServer } from './mcp/connect-form.tsx'
import { useConnection, type Connection, type Open } from './mcp/connection.ts'
import { OAuthPanel } from './mcp/oauth.tsx'
import { PromptPage } from './mcp/prompt.tsx'
import { ServerRequestDialog } from './mcp/server-request.tsx'
import { ResourcePage, TemplatePage } from './mcp/resource.tsx'
import { ToolView } from './mcp/tool.tsx'
import { VERSIONS, type Target } from './mcp/types.ts'

const CALL_FROM_SHELL = toCurl({
  method: 'POST',
  url: `${instanceBase}mcp`,
  headers: [
    { name: 'Content-Type', value: 'application/json' },
    { name: 'MCP-Protocol-Version', value: VERSIONS[0] },
    { name: 'Mcp-Method', value: 'tools/call' },
    { name: 'Mcp-Name', value: 'add' },
  ],
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'add',
      arguments: { a: 2, b: 3 },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': VERSIONS[0],
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }),
})

/** The servers of this instance: the catalog has an example for each, named after it. */
async function loadServers(signal: AbortSignal): Promise<OwnServer[]> {
  const { endpoints } = await callJson<Catalog>('_svc/catalog', { signal })
  const examples = endpoints
    .filter(({ path, methods }) => /^\/mcp(?!\/messages)(?:\/|$)/.test(path) && methods.includes('POST'))
    .flatMap(endpoint => endpoint.examples)
  const servers = new Map(examples.map(({ name, path }) => [path, name.split(':')[0]!]))
  return Array.from(servers, ([path, name]) => ({ path, name }))
}

export default function McpInspector() {
  const servers = useLoad(loadServers, [plugins.value?.generation])
  const connection = useConnection()
  const [headers, setHeaders] = useState<NameValue[]>([])
  const [target, setTarget] = useState<Target | null>(null)
  const { params } = route.value

  function connect(target: Target): void {
    setTarget(target)
    const isOther = params.get('server') !== target.url
    setParams({
      server: target.url,
      version: target.version,
      ...(isOther ? { kind: null, name: null, args: null } : {}),
    })
    void connection.connect(target)
  }

  // A link to an item of a server of this instance connects right away; other servers require a click.
  const linked = params.has('name') ? servers.value?.find(({ path }) => path === params.get('server')) : undefined
  useEffect(() => {
    if (linked && target === null)
      connect({
        url: linked.path,
        gateway: activeGateway(),
        headers,
        version: VERSIONS.find(known => known === params.get('version')) ?? VERSIONS[0],
      })
  }, [linked])

  return (
    <>
      <ViewHeader
        title="MCP inspector"
        about="A client for MCP servers, directly and through a gateway: call tools, read resources, and see every message with its HTTP headers."
      />
      {servers.error !== null && <Notice kind="bad">{servers.error}</Notice>}
      {servers.value === undefined ? (
        servers.isLoading && <Loading />
      ) : (
        <ConnectForm
          servers={servers.value}
          initial={{ server: params.get('server'), version: params.get('version') }}
          headers={headers}
          onHeaders={setHeaders}
          isOpen={connection.open !== null}
          isConnecting={connection.isConnecting}
          onConnect={connect}
          onDisconnect={() => void connection.disconnect()}
        />
      )}
      {connection.error !== null && (
        <Notice kind="bad" title="Connection failed">
          {connection.error}
        </Notice>
      )}
      {target && connection.isUnauthorized && (
        <OAuthPanel
          key={target.url}
          target={target}
          onToken={token => {
            const authorized = [
              ...headers.filter(({ name }) => name.toLowerCase() !== 'authorization'),
              { name: 'Authorization', value: `Bearer ${token}` },
            ]
            setHeaders(authorized)
            connect({ ...target, headers: authorized })
          }}
        />
      )}
      {connection.open && <ServerLine open={connection.open} />}
      <div class={`mcp-split ${connection.open ? 'connected' : ''}`}>
        {connection.open ? (
          <Offered open={connection.open} connection={connection} />
        ) : (
          <div class="panel mcp-none">
            <Empty title="Not connected">
              <p>Choose a server and connect to list and try its tools, resources and prompts.</p>
              <p>Or call a tool from a shell:</p>
              <TryCommand command={CALL_FROM_SHELL} />
            </Empty>
          </div>
        )}
        <MessagesPanel
          log={connection.log}
          empty="Messages in both directions appear here, newest first, with their HTTP status and headers."
        />
      </div>
      {connection.serverRequest && (
        <ServerRequestDialog
          key={JSON.stringify(connection.serverRequest.params)}
          serverRequest={connection.serverRequest}
        />
      )}
    </>
  )
}

function ServerLine({ open: { info, client } }: { open: Open }) {
  return (
    <div class="mcp-server">
      <strong>{info.title ?? info.name}</strong>
      <code>
        {info.name} {info.version}
      </code>
      <Badge tone="accent">{info.protocolVersion}</Badge>
      <Badge>{client.isStateless ? 'stateless' : 'session'}</Badge>
      {Object.keys(info.capabilities).map(name => (
        <Badge key={name}>{name}</Badge>
      ))}
      {info.instructions && (
        <details>
          <summary>Instructions</summary>
          <p>{info.instructions}</p>
        </details>
      )}
    </div>
  )
}

function Offered({ open: { client, info, lists }, connection }: { open: Open; connection: Connection }) {
  const { params } = route.value
  const choice: Choice | null = params.has('name')
    ? { kind: (params.get('kind') ?? 'tool') as Kind, name: params.get('name')! }
    : null
  const isCompleted = info.capabilities.completions !== undefined
  const chosen = choice && itemOf(choice)

  function itemOf({ kind, name }: Choice) {
    const tool = kind === 'tool' && lists.tools.find(item => item.name === name)
    if (tool) return <ToolView key={name} client={client} tool={tool} linkedArguments={params.get('args')} />
    const resource = kind === 'resource' && lists.resources.find(item => item.uri === name)
    if (resource) return <ResourcePage key={name} client={client} resource={resource} connection={connection} />
    const template = kind === 'template' && lists.templates.find(item => item.uriTemplate === name)
    if (template) return <TemplatePage key={name} client={client} template={template} isCompleted={isCompleted} />
    const prompt = kind === 'prompt' && lists.prompts.find(item => item.name === name)
    return prompt ? <PromptPage key={name} client={client} prompt={prompt} isCompleted={isCompleted} /> : null
  }

  return (
    <>
      <OfferList lists={lists} choice={choice} onChoice={({ kind, name }) => setParams({ kind, name, args: null })} />
      <div class="mcp-chosen">
        {chosen ?? (
          <div class="panel">
            <Empty title="Choose an item to try">
              Call tools with a form built from their schema, read and subscribe to resources, and fill in prompts.
            </Empty>
          </div>
        )}
      </div>
    </>
  )
}
