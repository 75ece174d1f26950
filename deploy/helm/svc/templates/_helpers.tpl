{{- define "svc.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "svc.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "svc.selectorLabels" -}}
app.kubernetes.io/name: {{ include "svc.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "svc.labels" -}}
{{ include "svc.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "svc.valkeySelectorLabels" -}}
app.kubernetes.io/name: {{ include "svc.name" . }}-valkey
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "svc.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository (default .Chart.AppVersion $image.tag) -}}
{{- end -}}
{{- end -}}

{{/* "true" if there are, or may be, several replicas. */}}
{{- define "svc.hasReplicas" -}}
{{- if or .Values.autoscaling.enabled (gt (int .Values.replicaCount) 1) -}}true{{- end -}}
{{- end -}}

{{- define "svc.storeUrl" -}}
{{- if .Values.store.valkey.enabled -}}
redis://{{ include "svc.fullname" . }}-valkey:6379
{{- else -}}
{{- .Values.store.url -}}
{{- end -}}
{{- end -}}

{{/* The Secret with the password and the secret of the store; empty if there is none. */}}
{{- define "svc.storeSecret" -}}
{{- if .Values.store.existingSecret -}}
{{- .Values.store.existingSecret -}}
{{- else if .Values.store.valkey.enabled -}}
{{ include "svc.fullname" . }}-state
{{- end -}}
{{- end -}}

{{/* The name of the Secret with the admin token; empty if there is none. */}}
{{- define "svc.adminSecret" -}}
{{- if .Values.adminToken.existingSecret -}}
{{- .Values.adminToken.existingSecret -}}
{{- else if .Values.adminToken.value -}}
{{ include "svc.fullname" . }}-admin
{{- end -}}
{{- end -}}

{{- define "svc.configMap" -}}
{{- default (include "svc.fullname" .) .Values.existingConfigMap -}}
{{- end -}}

{{- define "svc.hasPlugins" -}}
{{- if or .Values.plugins.files .Values.plugins.configMaps -}}true{{- end -}}
{{- end -}}

{{- define "svc.serviceAccount" -}}
{{- if .Values.serviceAccount.name -}}
{{- .Values.serviceAccount.name -}}
{{- else if .Values.serviceAccount.create -}}
{{- include "svc.fullname" . -}}
{{- end -}}
{{- end -}}

{{/* Names of variables that other values set, by name. */}}
{{- define "svc.managed" -}}
SVC_CONFIG_FILE: config
SVC_TRUST_FORWARD: trustForward
SVC_LOG_FORMAT: logFormat
SVC_PUBLIC_MODE: publicMode
SVC_ADMIN_TOKEN: adminToken
SVC_PLUGINS_DIR: plugins
SVC_TLS_CERT: certs
SVC_TLS_KEY: certs
SVC_STATE_STORE: store
SVC_STATE_STORE_PASSWORD: store
SVC_STATE_STORE_SECRET: store
SVC_HTTP_PORT: service.ports.http
SVC_HTTPS_PORT: service.ports.https
SVC_GRPC_PORT: service.ports.grpc
{{- end -}}

{{/* Fails for values that contradict each other. */}}
{{- define "svc.check" -}}
{{- $values := .Values -}}
{{- if and (include "svc.hasReplicas" .) (not (include "svc.storeUrl" .)) (not $values.separateReplicas) -}}
{{- fail "several replicas need store.url or store.valkey.enabled; set separateReplicas: true if each may keep its own state" -}}
{{- end -}}
{{- if and $values.store.url $values.store.valkey.enabled -}}
{{- fail "store.url and store.valkey.enabled are both set: use one of them" -}}
{{- end -}}
{{- if and $values.config $values.existingConfigMap -}}
{{- fail "config and existingConfigMap are both set: use one of them" -}}
{{- end -}}
{{- if and $values.adminToken.value $values.adminToken.existingSecret -}}
{{- fail "adminToken.value and adminToken.existingSecret are both set: use one of them" -}}
{{- end -}}
{{- if and $values.publicMode (not (include "svc.adminSecret" .)) -}}
{{- fail "publicMode needs adminToken.value or adminToken.existingSecret" -}}
{{- end -}}
{{- if and $values.autoscaling.enabled (gt (int $values.autoscaling.minReplicas) (int $values.autoscaling.maxReplicas)) -}}
{{- fail "autoscaling.minReplicas is greater than autoscaling.maxReplicas" -}}
{{- end -}}
{{- $managed := include "svc.managed" . | fromYaml -}}
{{- range $name, $value := $values.env -}}
{{- if hasKey $managed $name -}}
{{- fail (printf "env.%s is set by the value %s" $name (get $managed $name)) -}}
{{- end -}}
{{- end -}}
{{- range $name := $values.plugins.configMaps -}}
{{- if hasKey $values.plugins.files $name -}}
{{- fail (printf "plugins.files.%s has the name of a ConfigMap in plugins.configMaps" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The variables of the container. */}}
{{- define "svc.env" -}}
- name: SVC_CONFIG_FILE
  value: /config/svc.yaml
- name: SVC_TRUST_FORWARD
  value: {{ .Values.trustForward | quote }}
- name: SVC_LOG_FORMAT
  value: {{ .Values.logFormat }}
- name: SVC_INSTANCE_ID
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
{{- if .Values.publicMode }}
- name: SVC_PUBLIC_MODE
  value: "true"
{{- end }}
{{- with include "svc.adminSecret" . }}
- name: SVC_ADMIN_TOKEN
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: {{ ternary $.Values.adminToken.key "token" (ne $.Values.adminToken.existingSecret "") }}
{{- end }}
{{- if include "svc.hasPlugins" . }}
- name: SVC_PLUGINS_DIR
  value: /plugins
{{- end }}
{{- if .Values.certs.existingSecret }}
- name: SVC_TLS_CERT
  value: /certs/tls.crt
- name: SVC_TLS_KEY
  value: /certs/tls.key
{{- end }}
{{- with include "svc.storeUrl" . }}
- name: SVC_STATE_STORE
  value: {{ . | quote }}
{{- end }}
{{- with include "svc.storeSecret" . }}
- name: SVC_STATE_STORE_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: password
- name: SVC_STATE_STORE_SECRET
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: secret
{{- end }}
{{- range $name, $value := .Values.env }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}
