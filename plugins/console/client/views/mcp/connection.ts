/** The connection to a server as the view holds it: lists, questions that wait for an answer, updates. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { explain } from '../../lib/instance/api.ts'
import { createMessageLog, type MessageLog } from '../../lib/protocol/message-log.ts'
import { HttpError, McpClient } from './client.ts'
import { loadLists } from './lists.ts'
import type { Lists, Question, ServerInfo, Target } from './types.ts'

export interface Open {
  client: McpClient
  info: ServerInfo
  lists: Lists
}

export interface PendingQuestion extends Question {
  answer(result: Record<string, unknown>): void
  /** Nobody answers. */
  dismiss(): void
}

export interface Connection {
  log: MessageLog
  open: Open | null
  isConnecting: boolean
  error: string | null
  /** It wants a credential. */
  isUnauthorized: boolean
  question: PendingQuestion | null
  /** Resources that the server is asked to tell about. */
  subscriptions: ReadonlySet<string>
  /** How often each resource was told to have changed. */
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
  const [questions, setQuestions] = useState<readonly PendingQuestion[]>([])
  const [updates, setUpdates] = useState<ReadonlyMap<string, number>>(new Map())
  const { subscriptions, toggle, reset } = useSubscriptions(current)

  async function disconnect(): Promise<void> {
    const client = current.current
    current.current = null
    reset()
    setOpen(null)
    setQuestions([])
    setUpdates(new Map())
    await client?.close().catch(() => {
      /* it stands in the log */
    })
  }
  useEffect(() => () => void current.current?.close().catch(() => {}), [])

  function ask(question: Question): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      const done = (act: () => void) => () => {
        setQuestions(list => list.filter(item => item !== pending))
        act()
      }
      const pending: PendingQuestion = {
        ...question,
        answer: result => done(() => resolve(result))(),
        dismiss: done(() => reject(new Error('Nobody answered.'))),
      }
      setQuestions(list => [...list, pending])
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
            /* it stands in the log */
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
      onQuestion: ask,
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
    question: questions[0] ?? null,
    subscriptions,
    updates,
    connect,
    disconnect,
    toggleSubscription: toggle,
  }
}

/** A session subscribes one by one; stateless there is one stream, opened anew with what is wanted. */
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
            /* it stands in the log */
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
