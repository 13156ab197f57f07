{{- define "tributary.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Labels of a part: (list $ "worker"). */}}
{{- define "tributary.selector" -}}
app.kubernetes.io/name: tributary
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "tributary.labels" -}}
{{ include "tributary.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ printf "%s-%s" (index . 0).Chart.Name (index . 0).Chart.Version }}
{{- end -}}

{{/* Fields of every pod except its containers. */}}
{{- define "tributary.pod" -}}
automountServiceAccountToken: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 1Gi }
  - name: data
    {{- if .Values.files.existingClaim }}
    persistentVolumeClaim: { claimName: {{ .Values.files.existingClaim | quote }} }
    {{- else if .Values.config.S3_BUCKET }}
    emptyDir: { sizeLimit: 1Gi }
    {{- else }}
    {{- fail "Set config.S3_BUCKET or files.existingClaim: uploads would be lost with their pod." }}
    {{- end }}
{{- end -}}

{{/* Fields of every container except its name, arguments, probes and resources. */}}
{{- define "tributary.container" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: data, mountPath: /data }
envFrom:
  - secretRef: { name: {{ .Values.existingSecret | quote }} }
{{- end -}}

{{/* Entries of `env` that every container has. Numbers of values are floats in templates. */}}
{{- define "tributary.env" -}}
- { name: CHAIN_ID, value: {{ int64 .Values.chain.chainId | quote }} }
- { name: CONTRACT_ADDRESS, value: {{ .Values.chain.contractAddress | quote }} }
- { name: START_BLOCK, value: {{ int64 .Values.chain.startBlock | quote }} }
{{- range $name, $value := .Values.config }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end -}}

{{/* Ports and probes of a part that answers on METRICS_PORT alone. */}}
{{- define "tributary.probes" -}}
ports:
  - { name: metrics, containerPort: 9464 }
startupProbe:
  httpGet: { path: /health, port: metrics }
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 150
livenessProbe:
  httpGet: { path: /health, port: metrics }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 18
{{- end -}}
