{{/* PostgreSQL. */}}
{{- define "bundled.postgres" -}}
{{- $values := .Values.bundled.postgres }}
{{- $pod := include "survey.podValues" (dict "defaults" .Values.defaults "own" .Values.bundled.postgres) | fromJson }}
{{- $clients := (include "bundled.clients" (dict "root" . "store" "postgres") | fromJson).names }}
{{ include "bundled.endpoint" (dict "root" . "store" "postgres" "ports" (dict "postgres" 5432) "clients" (concat $clients (list "prepare" "test"))) }}
---
{{ include "bundled.statefulSet" (dict "root" . "store" "postgres") }}
      containers:
        - name: postgres
          image: {{ include "survey.imageReference" (dict "root" . "image" $values.image) }}
          args: [-c, max_connections={{ int .Values.postgres.maxConnections }}, -c, track_activity_query_size=16kB]
          ports:
            - { name: postgres, containerPort: 5432 }
          env:
            {{- include "survey.replaced" (dict "items" (include "bundled.postgresEnv" .) "pod" $pod "key" "extraEnv") | nindent 12 }}
          startupProbe:
            exec: { command: [pg_isready, -h, 127.0.0.1, -U, {{ .Values.postgres.owner }}] }
            periodSeconds: 2
            failureThreshold: 90
          livenessProbe:
            tcpSocket: { port: postgres }
            periodSeconds: 20
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            exec: { command: [pg_isready, -h, 127.0.0.1, -U, {{ .Values.postgres.owner }}] }
            periodSeconds: 5
            timeoutSeconds: 3
          {{- include "survey.containerEnd" (dict "pod" $pod "resources" $values.resources "mounts" (include "survey.replaced" (dict "items" (include "bundled.postgresMounts" .) "pod" $pod "key" "extraVolumeMounts" "by" "mountPath"))) | nindent 10 }}
      volumes:
        {{- include "survey.replaced" (dict "items" (include "bundled.postgresVolumes" .) "pod" $pod "key" "extraVolumes") | nindent 8 }}
{{- end -}}

{{- define "bundled.postgresEnv" -}}
- { name: POSTGRES_USER, value: {{ quote .Values.postgres.owner }} }
- { name: POSTGRES_DB, value: {{ quote .Values.postgres.database }} }
- { name: PGDATA, value: /var/lib/postgresql/data/pgdata }
- name: POSTGRES_PASSWORD
  valueFrom:
    secretKeyRef: { name: {{ .Values.postgres.existingSecret }}, key: owner }
{{- end -}}

{{- define "bundled.postgresMounts" -}}
- { name: data, mountPath: /var/lib/postgresql/data }
- { name: run, mountPath: /var/run/postgresql }
- { name: tmp, mountPath: /tmp }
{{- end -}}

{{- define "bundled.postgresVolumes" -}}
- name: run
  emptyDir: { sizeLimit: 1Mi }
- name: tmp
  emptyDir: { sizeLimit: 64Mi }
{{- end -}}
