/** Sign-in to the control plane: a token for this tab, sent only to `/_svc/`, as a header. */
import { useState } from 'preact/hooks'
import { callJson, explain, signInReason } from '../lib/instance/api.ts'
import { page } from '../lib/instance/page.ts'
import { controlToken } from '../lib/shell/storage.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'

const REASONS: Record<string, string> = {
  missing_token: 'The control plane requires a token.',
  invalid_token: 'The token is invalid.',
  expired: 'The token has expired.',
  not_yet_valid: 'The token is not valid yet.',
  invalid_audience: 'The token is for another instance.',
  invalid_signature: 'The token signature is invalid.',
  invalid_algorithm: 'The token is signed with an unexpected algorithm.',
  missing_claim: 'The token is missing a required claim.',
  malformed: 'The token is malformed.',
}

export function SignIn() {
  const [token, setToken] = useState('')
  const [isRunning, setRunning] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const reason = signInReason.value

  async function signIn(event: Event): Promise<void> {
    event.preventDefault()
    if (token.trim() === '') return setFailure('Enter a token.')
    setRunning(true)
    setFailure(null)
    controlToken.value = token.trim()
    try {
      // Every scope may read the inspector's list.
      await callJson('_svc/requests?limit=1&session=con')
      signInReason.value = null
    } catch (error) {
      controlToken.value = ''
      setFailure(signInReason.peek() ? null : explain(error))
    }
    setRunning(false)
  }

  return (
    <section class="sign-in panel">
      <h1>Sign in</h1>
      <p class="about">
        {page.controlAuth === 'token'
          ? 'The control plane of this instance is protected. Sign in with the admin token.'
          : 'The control plane of this instance is protected. Sign in with a JWT that has the scope console or inspector, or with the admin token.'}
      </p>
      {(failure ?? (reason || null)) && (
        <Notice kind="bad">
          {failure ?? (
            <>
              {REASONS[reason!] ?? reason} <code>{reason}</code>
            </>
          )}
        </Notice>
      )}
      <form onSubmit={event => void signIn(event)}>
        <TextField
          label="Token"
          mono
          class="secret"
          value={token}
          onValue={setToken}
          hint="Kept until you close this tab. Sent to this instance only."
        />
        <Button kind="primary" type="submit" busy={isRunning}>
          Sign in
        </Button>
      </form>
      {page.backlink && (
        <p>
          <a href={page.backlink} rel="noopener">{`Back to ${new URL(page.backlink).host}`}</a>
        </p>
      )}
    </section>
  )
}
