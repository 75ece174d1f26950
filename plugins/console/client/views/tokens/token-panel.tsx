/** The current token: its actions and its decoded content. */
import { handedToken } from '../../lib/tokens/bearer.ts'
import { callJson } from '../../lib/instance/api.ts'
import { useAction, useLoad, useNow } from '../../lib/shell/hooks.ts'
import { formatDuration } from '../../lib/protocol/http.ts'
import { decodeJwt, type DecodedJwt } from '../../lib/tokens/jwt.ts'
import { sendAndRead, checkSignature, postForm } from '../../lib/tokens/oauth.ts'
import { go } from '../../lib/shell/router.ts'
import { activeGateway } from '../../lib/shell/storage.ts'
import { enabledPaths } from '../../lib/instance/status.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, CopyButton } from '../../ui/button.tsx'
import { TextArea } from '../../ui/field.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { Empty, Notice } from '../../ui/notice.tsx'
import { Facts, Panel } from '../../ui/view.tsx'
import { labClient, note, takeTokens, token, tokenSet } from './lab.ts'

export function TokenPanel() {
  const text = token.value
  const set = tokenSet.value
  const act = useAction((what: () => Promise<unknown>) => what())
  const bearer = [{ name: 'Authorization', value: `Bearer ${text}` }]
  const gateway = activeGateway()
  const sendWithToken = (what: string, method: string, path: string) => async () =>
    note(await sendAndRead(what, { method, path, headers: bearer, gateway }))
  const postToken = (what: string, path: string) => async () =>
    note(await postForm(what, path, { token: text }, labClient.value, gateway))
  const refresh = async () =>
    takeTokens(
      note(
        await postForm(
          'Refresh',
          '/oauth/token',
          { grant_type: 'refresh_token', refresh_token: set!.refresh_token! },
          labClient.value,
          gateway,
        ),
      ),
    )
  const isEmpty = text === ''

  return (
    <Panel
      title="Current token"
      actions={
        set && (
          <>
            {(
              [
                ['access token', set.access_token],
                ['ID token', set.id_token],
                ['refresh token', set.refresh_token],
              ] as const
            ).map(
              ([name, value]) =>
                value !== undefined && (
                  <Button
                    key={name}
                    small
                    aria-pressed={value === text}
                    onClick={() => {
                      token.value = value
                    }}
                  >
                    {name}
                  </Button>
                ),
            )}
          </>
        )
      }
    >
      <TextArea
        mono
        label="Token"
        rows={5}
        class="tokens-field"
        value={text}
        onValue={value => {
          token.value = value.trim()
        }}
        placeholder="Get a token, or paste one to inspect it."
      />
      <div class="actions">
        <CopyButton small text={text} disabled={isEmpty}>
          Copy
        </CopyButton>
        <Button
          small
          icon="explorer"
          disabled={isEmpty}
          onClick={() => {
            handedToken.value = text
            go('explorer', { path: '/auth/jwt', method: 'ANY' })
          }}
        >
          Use in the API explorer
        </Button>
        {set?.refresh_token !== undefined && (
          <Button small icon="replay" disabled={act.isRunning} onClick={() => void act.run(refresh)}>
            Refresh
          </Button>
        )}
        <Button
          small
          disabled={isEmpty || act.isRunning}
          onClick={() => void act.run(postToken('Introspection', '/oauth/introspect'))}
        >
          Introspect
        </Button>
        <Button
          small
          disabled={isEmpty || act.isRunning}
          onClick={() => void act.run(sendWithToken('UserInfo', 'GET', '/oauth/userinfo'))}
        >
          UserInfo
        </Button>
        {enabledPaths.value?.includes('/auth') && (
          <Button
            small
            disabled={isEmpty || act.isRunning}
            onClick={() => void act.run(sendWithToken('Bearer check', 'GET', '/auth/jwt'))}
          >
            Try at /auth/jwt
          </Button>
        )}
        <Button
          small
          kind="danger"
          disabled={isEmpty || act.isRunning}
          onClick={() => void act.run(postToken('Revocation', '/oauth/revoke'))}
        >
          Revoke
        </Button>
      </div>
      {act.error !== null && <Notice kind="bad">{act.error}</Notice>}
    </Panel>
  )
}

export function ClaimsPanel() {
  const text = token.value
  const decoded = decodeJwt(text)
  return (
    <Panel title="Claims" actions={decoded && <Expiry claims={decoded.claims} />}>
      {text === '' ? (
        <Empty title="No token yet">Get or paste a token to see its decoded claims here.</Empty>
      ) : decoded === null ? (
        <Notice>This is not a JSON Web Token. Use introspection to see what the provider knows about it.</Notice>
      ) : (
        <Decoded key={text} decoded={decoded} />
      )}
    </Panel>
  )
}

function Decoded({ decoded }: { decoded: DecodedJwt }) {
  const check = useLoad(() => checkSignature(decoded, () => callJson('oauth/jwks')), [decoded.signingInput])
  const time = (name: string) => {
    const value = decoded.claims[name]
    return typeof value === 'number'
      ? ([name, <span key={name}>{new Date(value * 1000).toLocaleString()}</span>] as const)
      : null
  }
  return (
    <>
      {check.error !== null && <Notice kind="warn">The keys could not be loaded: {check.error}</Notice>}
      {check.value?.kind === 'valid' && (
        <Notice kind="good" title="The signature is valid">
          Checked with {check.value.by}.
        </Notice>
      )}
      {check.value?.kind === 'invalid' && (
        <Notice kind="bad" title="The signature is invalid">
          Checked with {check.value.by}.
        </Notice>
      )}
      {check.value?.kind === 'unknown' && (
        <Notice kind="warn" title="The signature was not checked">
          {check.value.why}
        </Notice>
      )}
      <div class="tokens-decoded">
        <div class="stack">
          <section>
            <h3>Header</h3>
            <JsonTree value={decoded.header} />
          </section>
          <section>
            <h3>Times</h3>
            <Facts items={['iat', 'nbf', 'exp', 'auth_time'].map(time)} />
          </section>
        </div>
        <section>
          <h3>Claims</h3>
          <JsonTree value={decoded.claims} />
        </section>
      </div>
    </>
  )
}

/** Time until the token expires, updated every second. */
function Expiry({ claims: { exp, nbf } }: { claims: Record<string, unknown> }) {
  const now = useNow(1000) / 1000
  if (typeof nbf === 'number' && nbf > now) return <Badge tone="warn">valid in {formatDuration(nbf - now)}</Badge>
  if (typeof exp !== 'number') return <Badge tone="warn">never expires</Badge>
  return exp > now ? (
    <Badge tone="good">expires in {formatDuration(exp - now)}</Badge>
  ) : (
    <Badge tone="bad">expired {formatDuration(now - exp)} ago</Badge>
  )
}
