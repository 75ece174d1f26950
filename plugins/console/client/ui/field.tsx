/** Form controls with a label. Screen readers announce the hint or error with the control. */
import type { ComponentChildren, LooseInputHTMLAttributes, TextareaHTMLAttributes } from 'preact'
import { useId } from 'preact/hooks'

interface FieldProps {
  label: string
  hint?: ComponentChildren
  error?: string | null
  /** Show the label to screen readers only. */
  hideLabel?: boolean
  class?: string
}

interface Named {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': boolean | undefined
}

/** Label, control, hint and error. */
export function Field({
  label,
  hint,
  error,
  hideLabel,
  class: extra,
  children,
}: FieldProps & { children: (named: Named) => ComponentChildren }) {
  const id = useId()
  const described = hint || error ? `${id}-hint` : undefined
  return (
    <div class={`field ${extra ?? ''}`}>
      <label for={id} class={hideLabel ? 'off-screen' : ''}>
        {label}
      </label>
      {children({ id, 'aria-describedby': described, 'aria-invalid': error ? true : undefined })}
      {described && (
        <p id={described} class={error ? 'hint bad-text' : 'hint'}>
          {error || hint}
        </p>
      )}
    </div>
  )
}

type Value = { value: string; onValue(value: string): void }
export type InputType = 'text' | 'number' | 'search' | 'url' | 'email' | 'date'
type Input = Omit<LooseInputHTMLAttributes<HTMLInputElement>, 'value' | 'label' | 'class' | 'role' | 'type'> & {
  mono?: boolean
  type?: InputType
  list?: string
}

export function TextField({
  label,
  hint,
  error,
  hideLabel,
  class: extra,
  value,
  onValue,
  mono,
  type = 'text',
  ...rest
}: FieldProps & Value & Input) {
  return (
    <Field {...{ label, hint, error: error ?? null, hideLabel: hideLabel ?? false, class: extra ?? '' }}>
      {named => (
        <input
          {...(rest as object)}
          {...named}
          class={mono ? 'mono' : ''}
          type={type as 'text'}
          value={value}
          spellcheck={false}
          autocomplete={rest.autocomplete ?? 'off'}
          onInput={event => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

export function TextArea({
  label,
  hint,
  error,
  hideLabel,
  class: extra,
  value,
  onValue,
  mono,
  rows = 4,
  ...rest
}: FieldProps &
  Value &
  Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'value' | 'label' | 'class'> & { mono?: boolean }) {
  return (
    <Field {...{ label, hint, error: error ?? null, hideLabel: hideLabel ?? false, class: extra ?? '' }}>
      {named => (
        <textarea
          {...rest}
          {...named}
          class={mono ? 'mono' : ''}
          rows={rows}
          value={value}
          spellcheck={!mono}
          onInput={event => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

export type Option = string | { value: string; label: string; disabled?: boolean }

/** A select element, with the role `combobox`. */
export function Select({
  label,
  hint,
  error,
  hideLabel,
  class: extra,
  value,
  onValue,
  options,
  disabled,
}: FieldProps & Value & { options: readonly Option[]; disabled?: boolean }) {
  return (
    <Field {...{ label, hint, error: error ?? null, hideLabel: hideLabel ?? false, class: extra ?? '' }}>
      {named => (
        <select
          {...named}
          value={value}
          disabled={disabled ?? false}
          onChange={event => onValue(event.currentTarget.value)}
        >
          {options.map(option => {
            const {
              value: key,
              label: text,
              disabled: isOff,
            } = typeof option === 'string' ? { value: option, label: option, disabled: false } : option
            return (
              <option key={key} value={key} selected={key === value} disabled={isOff ?? false}>
                {text}
              </option>
            )
          })}
        </select>
      )}
    </Field>
  )
}

interface Toggle {
  label: ComponentChildren
  checked: boolean
  onChecked(checked: boolean): void
  disabled?: boolean
  hint?: ComponentChildren
}

export function Checkbox({ label, checked, onChecked, disabled, hint }: Toggle) {
  const id = useId()
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        disabled={disabled ?? false}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={event => onChecked(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  )
}

/** A switch that takes effect immediately, with the role `switch`. */
export function Switch({
  label,
  checked,
  onChecked,
  disabled,
  busy,
  hideLabel,
}: Toggle & { label: string; busy?: boolean; hideLabel?: boolean }) {
  return (
    <button
      type="button"
      role="switch"
      class={`switch ${busy ? 'busy' : ''}`}
      aria-checked={checked}
      aria-label={label}
      aria-busy={busy || undefined}
      disabled={disabled ?? false}
      onClick={() => {
        if (!busy) onChecked(!checked)
      }}
    >
      <span class="track" aria-hidden="true">
        <span class="thumb" />
      </span>
      {!hideLabel && <span>{label}</span>}
    </button>
  )
}
