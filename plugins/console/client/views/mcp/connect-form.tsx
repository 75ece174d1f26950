/** The connection form: server, protocol version and headers. */
import { useState } from 'preact/hooks'
import type { NameValue } from '../../lib/protocol/http.ts'
import { activeGateway, settings, type Gateway } from '../../lib/shell/storage.ts'
import { Button } from '../../ui/button.tsx'
import { Select, TextField } from '../../ui/field.tsx'
import { HeaderEditor } from '../../ui/header-list.tsx'
import { TargetSelect } from '../request/target.tsx'
import { VERSIONS, type Target, type Version } from './types.ts'

/** A server of this instance. */
export interface OwnServer {
  name: string
  path: string
}

export interface ConnectFormProps {
  servers: readonly OwnServer[]
  /** Initial values from the link. */
  initial: { server: string | null; version: string | null }
  headers: readonly NameValue[]
  onHeaders(headers: NameValue[]): void
  isOpen: boolean
  isConnecting: boolean
  onConnect(target: Target): void
  onDisconnect(): void
}

const OTHER = 'other'

export function ConnectForm({
  servers,
  initial,
  headers,
  onHeaders,
  isOpen,
  isConnecting,
  onConnect,
  onDisconnect,
}: ConnectFormProps) {
  const isOwn = (path: string | null) => servers.some(server => server.path === path)
  const [server, setServer] = useState(
    initial.server === null ? (servers[0]?.path ?? OTHER) : isOwn(initial.server) ? initial.server : OTHER,
  )
  const [url, setUrl] = useState(initial.server !== null && !isOwn(initial.server) ? initial.server : '')
  const [version, setVersion] = useState<Version>(VERSIONS.find(known => known === initial.version) ?? VERSIONS[0])
  const [gateway, setGateway] = useState<Gateway | null>(activeGateway)
  const isOther = server === OTHER
  const address = isOther ? url.trim() : server

  return (
    <form
      class="panel mcp-connect"
      aria-label="Connection"
      onSubmit={event => {
        event.preventDefault()
        if (address !== '')
          onConnect({ url: address, gateway: isOther && /^https?:/.test(address) ? null : gateway, headers, version })
      }}
    >
      <div class="mcp-line">
        <Select
          label="Server"
          value={server}
          onValue={setServer}
          options={[
            ...servers.map(({ name, path }) => ({ value: path, label: name })),
            { value: OTHER, label: 'Other…' },
          ]}
        />
        {isOther && (
          <TextField
            mono
            type="text"
            label="URL"
            placeholder="https://host/mcp"
            value={url}
            onValue={setUrl}
            required
          />
        )}
        <Select
          label="Protocol version"
          value={version}
          onValue={value => setVersion(value as Version)}
          options={[
            { value: VERSIONS[0], label: `${VERSIONS[0]} (stateless)` },
            { value: VERSIONS[1], label: `${VERSIONS[1]} (session)` },
          ]}
        />
        {settings.value.gateways.length > 0 && <TargetSelect gateway={gateway} onGateway={setGateway} />}
        <div class="actions">
          <Button kind="primary" type="submit" icon="play" busy={isConnecting}>
            Connect
          </Button>
          {isOpen && (
            <Button icon="stop" onClick={onDisconnect}>
              Disconnect
            </Button>
          )}
        </div>
      </div>
      <details open={headers.length > 0}>
        <summary>Headers{headers.length > 0 && ` (${headers.length})`}</summary>
        <HeaderEditor headers={headers} onHeaders={onHeaders} />
      </details>
    </form>
  )
}
