/** URLs to paste into clients and gateways: direct, and through the active gateway. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { callJson } from '../../lib/instance/api.ts'
import { urlAt } from '../../lib/instance/gateway.ts'
import { useLoad } from '../../lib/shell/hooks.ts'
import type { Catalog } from '../../lib/shell/places.ts'
import { instanceBase } from '../../lib/instance/page.ts'
import { plugins, type Status } from '../../lib/instance/status.ts'
import { activeGateway } from '../../lib/shell/storage.ts'
import { CopyButton } from '../../ui/button.tsx'
import { Panel } from '../../ui/view.tsx'

interface Address {
  name: string
  path: string
}

export function BaseUrls({ facts: { ports } }: { facts: Status }) {
  // The catalog is part of the control plane, so this request does not show in the live traffic.
  const { value: catalog } = useLoad(
    signal => callJson<Catalog>('_svc/catalog', { signal }),
    [plugins.value?.generation],
  )
  const host = location.hostname
  const hasIssuer = plugins.value?.plugins.some(({ state, paths }) => state === 'enabled' && paths.includes('/oauth'))
  return (
    <Panel title="Base URLs">
      <ul class="overview-urls">
        <Line name="This page" url={instanceBase.replace(/\/$/, '')} path="/" />
        {ports.http !== null && <Line name="HTTP" url={`http://${host}:${ports.http}`} />}
        {ports.https !== null && <Line name="HTTPS" url={`https://${host}:${ports.https}`} />}
        {ports.grpc !== null && <Line name="gRPC" url={`${host}:${ports.grpc}`} />}
        {hasIssuer && <Line name="OIDC issuer" url={instanceBase.replace(/\/$/, '')} path="/" />}
      </ul>
      {catalog && (
        <>
          <Group title="AI providers" addresses={providersOf(catalog)} />
          <Group title="MCP servers" addresses={mcpServersOf(catalog)} />
          {catalog.endpoints.some(({ path }) => path === '/a2a') && <Agents />}
          {catalog.endpoints.some(({ path }) => path === '/graphql/subgraphs') && <Subgraphs />}
        </>
      )}
    </Panel>
  )
}

function Line({ name, url, path }: { name: string; url: string; path?: string }) {
  const gateway = path === undefined ? null : activeGateway()
  const through = gateway && urlAt(path!, gateway).replace(/\/$/, '')
  return (
    <li>
      <span class="overview-url-name">{name}</span>
      <code>{url}</code>
      <CopyButton small kind="quiet" iconOnly text={url}>{`Copy ${name} URL`}</CopyButton>
      {through && (
        <>
          <span class="overview-url-name quiet-text">{gateway.name}</span>
          <code>{through}</code>
          <CopyButton
            small
            kind="quiet"
            iconOnly
            text={through}
          >{`Copy ${name} URL through ${gateway.name}`}</CopyButton>
        </>
      )}
    </li>
  )
}

function Group({
  title,
  addresses,
  onOpen,
  children,
}: {
  title: string
  addresses: readonly Address[] | undefined
  onOpen?(): void
  children?: ComponentChildren
}) {
  if (addresses?.length === 0) return null
  return (
    <details
      class="overview-group"
      onToggle={event => {
        if (event.currentTarget.open) onOpen?.()
      }}
    >
      <summary>
        {title}
        {addresses && ` (${addresses.length})`}
      </summary>
      <ul class="overview-urls">
        {addresses?.map(({ name, path }) => (
          <Line key={path} name={name} url={urlAt(path, null)} path={path} />
        ))}
      </ul>
      {children}
    </details>
  )
}

/** Only the data plane lists agents, and the request shows in the live traffic, so they are loaded on demand. */
function Agents() {
  const [isOpen, setOpen] = useState(false)
  const { value: agents } = useLoad(
    async signal => {
      if (!isOpen) return undefined
      const directory = await callJson<{ agents: { id: string }[] }>('a2a', { signal })
      return directory.agents.map(({ id }) => ({ name: id, path: `/a2a/${id}` }))
    },
    [isOpen],
  )
  return <Group title="A2A agents" addresses={agents} onOpen={() => setOpen(true)} />
}

const SUPERGRAPH = 'graphql/supergraph.graphql'

/** Of gateways that join graphs: the addresses, and what such a gateway starts with. */
function Subgraphs() {
  const [isOpen, setOpen] = useState(false)
  const { value: subgraphs } = useLoad(
    async signal => {
      if (!isOpen) return undefined
      const list = await callJson<{ subgraphs: { name: string }[] }>('graphql/subgraphs', { signal })
      return list.subgraphs.map(({ name }) => ({ name, path: `/graphql/subgraphs/${name}` }))
    },
    [isOpen],
  )
  return (
    <Group title="GraphQL" addresses={subgraphs} onOpen={() => setOpen(true)}>
      <a class="button small" href={`${instanceBase.replace(/\/$/, '')}/${SUPERGRAPH}`} download="supergraph.graphql">
        Supergraph
      </a>
    </Group>
  )
}

/** Base URLs as SDKs expect them: with `/v1` for OpenAI's wire format, unless the provider has another one there too. */
function providersOf({ endpoints }: Catalog): Address[] {
  const paths = new Set(endpoints.map(({ path }) => path))
  return [...paths]
    .filter(path => /^\/ai\/(?!requests$|v1$)[^/{]+$/.test(path))
    .map(path => ({
      name: path.slice('/ai/'.length),
      path: paths.has(`${path}/v1/chat/completions`) && !paths.has(`${path}/v1/messages`) ? `${path}/v1` : path,
    }))
}

function mcpServersOf({ endpoints }: Catalog): Address[] {
  const posts = endpoints.filter(
    ({ path, methods }) => path.startsWith('/mcp') && methods.includes('POST') && path !== '/mcp/messages',
  )
  const paths = new Set(
    posts.flatMap(({ path, examples }) => (path.includes('{') ? examples.map(example => example.path) : [path])),
  )
  return [...paths].map(path => ({ name: path.slice(1).replace(/^mcp\/(?:servers\/)?/, ''), path }))
}
