/** A picture or a sound of Base64, by way of a `blob:` address. */
import { useEffect, useState } from 'preact/hooks'
import { bytesOfBase64 } from '../lib/tokens/jwt.ts'

export interface MediaProps {
  base64: string
  /** Media type. */
  type: string
  /** What it is, for those who can't see it. */
  name: string
}

const SHOWN_TYPES = /^(?:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)|audio\/[\w.+-]+)$/

/** The page's policy lets pictures be `blob:`; sound it does not, so that is offered as a file. */
export function Media({ base64, type, name }: MediaProps) {
  const [url, setUrl] = useState<string | null>(null)
  const [isBroken, setBroken] = useState(false)
  useEffect(() => {
    if (!SHOWN_TYPES.test(type)) return
    let made: string | null = null
    try {
      made = URL.createObjectURL(new Blob([bytesOfBase64(base64)], { type }))
      setUrl(made)
    } catch {
      setBroken(true)
    }
    return () => {
      if (made !== null) URL.revokeObjectURL(made)
    }
  }, [base64, type])
  if (isBroken) return <p class="bad-text">{name} is no Base64.</p>
  if (url === null)
    return (
      <p class="quiet-text">
        {base64.length} characters of {type || 'unknown type'}.
      </p>
    )
  return type.startsWith('image/') ? (
    <img class="media-picture" src={url} alt={`${name}, ${type}`} />
  ) : (
    <a class="button small" href={url} download="sound">
      Save {type}
    </a>
  )
}
