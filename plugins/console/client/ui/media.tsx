/** Shows an image, or offers audio for download, from Base64 data through a `blob:` URL. */
import { useEffect, useState } from 'preact/hooks'
import { bytesOfBase64 } from '../lib/tokens/jwt.ts'

export interface MediaProps {
  base64: string
  /** Media type. */
  type: string
  /** Text alternative. */
  name: string
}

const SHOWN_TYPES = /^(?:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)|audio\/[\w.+-]+)$/

/** The content security policy allows `blob:` for images but not for audio, so audio is a download. */
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
  if (isBroken) return <p class="bad-text">{name} is not valid Base64.</p>
  if (url === null)
    return (
      <p class="quiet-text">
        {base64.length} Base64 characters of {type || 'unknown type'}.
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
