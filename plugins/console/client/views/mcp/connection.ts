/** State of the connection to a server: lists, pending requests of the server, updates. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { explain } from '../../lib/instance/api.ts'
import { createMessageLog, type MessageLog } from '../../lib/protocol/message-log.ts'
import { HttpError, McpClient } from './client.ts'
import { loadLists } from './lists.ts'
import type { Lists, ServerRequest, ServerInfo, Target } from './types.ts'

export interface Open {
  client: McpClient
  info: ServerInfo
  lists: Lists
}

export interface PendingServerRequest extends ServerRequest {
  respond(result: Record<string, unknown>): void
  /** Rejects the request. */
  dismiss(): void
}

export interface Connection {
  log: MessageLog
  open: Open | null
  isConnecting: boolean
  error: string | null
  /** The server requires credentials. */
  isUnauthorized: boolean
  serverRequest: PendingServerRequest | null
  /** URIs of subscribed resources. */
  subscriptions: ReadonlySet<string>
  /** Number of updates that the server reported, by resource URI. */
  updates: ReadonlyMap<string, number>
  connect(target: Target): Promise<void>
  disconnect(): Promise<void>
  toggleSubscription(uri: string): Promise<void>
}

export function useConnection(): Connection {
  const [log] = useState(createMessageLog)
  const current = useRef<McpClient | null>(null)
  const [open, setOpen] = useState<Open | null>(null)
  const [isConnecting, setConnecting] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const [isUnauthorized, setUnauthorized] = useState(false)
  const [serverRequests, setServerRequests] = useState<readonly PendingServerRequest[]>([])
  const [updates, setUpdates] = useState<ReadonlyMap<string, number>>(new Map())
  const { subscriptions, toggle, reset } = useSubscriptions(current)

  async function disconnect(): Promise<void> {
    const client = current.current
    current.current = null
    reset()
    setOpen(null)
    setServerRequests([])
    setUpdates(new Map())
    await client?.close().catch(() => {
      /* the log has it */
    })
  }
  useEffect(() => () => void current.current?.close().catch(() => {}), [])

  function enqueue(serverRequest: ServerRequest): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      const done = (act: () => void) => () => {
        setServerRequests(list => list.filter(item => item !== pending))
        act()
      }
      const pending: PendingServerRequest = {
        ...serverRequest,
        respond: result => done(() => resolve(result))(),
        dismiss: done(() => reject(new Error('The user dismissed the request.'))),
      }
      setServerRequests(list => [...list, pending])
    })
  }

  function notified(client: McpClient, info: ServerInfo) {
    return (method: string, params: Record<string, unknown>) => {
      const { uri } = params
      if (method === 'notifications/resources/updated' && typeof uri === 'string')
        setUpdates(known => new Map(known).set(uri, (known.get(uri) ?? 0) + 1))
      if (/^notifications\/\w+\/list_changed$/.test(method))
        void loadLists(client, info).then(
          lists => setOpen(old => old && { ...old, lists }),
          () => {
            /* the log has it */
          },
        )
    }
  }

  async function connect(target: Target): Promise<void> {
    setConnecting(true)
    setError(null)
    setUnauthorized(false)
    await disconnect()
    let onNotification: ReturnType<typeof notified> = () => {}
    const client = new McpClient(target, log, {
      onServerRequest: enqueue,
      onNotification: (method, params) => onNotification(method, params),
    })
    current.current = client
    try {
      const info = await client.connect()
      onNotification = notified(client, info)
      const lists = await loadLists(client, info)
      if (current.current === client) setOpen({ client, info, lists })
    } catch (reason) {
      setError(explain(reason))
      setUnauthorized(reason instanceof HttpError && reason.status === 401)
    }
    setConnecting(false)
  }

  return {
    log,
    open,
    isConnecting,
    error,
    isUnauthorized,
    serverRequest: serverRequests[0] ?? null,
    subscriptions,
    updates,
    connect,
    disconnect,
    toggleSubscription: toggle,
  }
}

/** In a session, each subscription is one request. Stateless, one stream has all of them and is reopened on changes. */
function useSubscriptions(current: { current: McpClient | null }) {
  const [subscriptions, setSubscriptions] = useState<ReadonlySet<string>>(new Set())
  const stream = useRef<AbortController | null>(null)

  async function toggle(uri: string): Promise<void> {
    const client = current.current
    if (client === null) return
    const next = new Set(subscriptions)
    const isNew = !next.delete(uri)
    if (isNew) next.add(uri)
    if (client.isStateless) {
      stream.current?.abort()
      stream.current = next.size === 0 ? null : new AbortController()
      if (stream.current)
        void client
          .subscribe(
            {
              resourceSubscriptions: [...next],
              toolsListChanged: true,
              promptsListChanged: true,
              resourcesListChanged: true,
            },
            stream.current.signal,
          )
          .catch(() => {
            /* the log has it */
          })
    } else await client.call(isNew ? 'resources/subscribe' : 'resources/unsubscribe', { uri })
    setSubscriptions(next)
  }

  function reset(): void {
    stream.current?.abort()
    setSubscriptions(new Set())
  }
  useEffect(() => () => stream.current?.abort(), [])
  return { subscriptions, toggle, reset }
}
