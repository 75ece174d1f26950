/** What several checks find, each in its own way, and one change of the configuration ends. */

export interface Cause {
  title: string
  remedy: string
}

const CAUSE_LIST = {
  host: {
    title: 'The gateway does not forward the host that clients use',
    remedy:
      'Forward Host as clients send it (nginx: proxy_set_header Host $http_host; Apache httpd: ProxyPreserveHost On), or send X-Forwarded-Host and set SVC_TRUST_FORWARD=true at svc.',
  },
  scheme: {
    title: 'The gateway does not forward the scheme that clients use',
    remedy: 'Send X-Forwarded-Proto with the scheme of the client, and set SVC_TRUST_FORWARD=true at svc.',
  },
  path: {
    title: 'The gateway does not forward the path under which clients reach it',
    remedy:
      'Send X-Forwarded-Prefix with the path that the gateway removes, and set SVC_TRUST_FORWARD=true at svc; or set SVC_BASE_PATH at svc to that path.',
  },
} satisfies Record<string, Cause>

export type CauseId = keyof typeof CAUSE_LIST

export const CAUSES: Readonly<Record<CauseId, Cause>> = CAUSE_LIST
